//! Nothing that was planted behind a path, an address or an unlisted flag is ever shown.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{FLAGS, arguments, base_name, text};

/// Stands for a user's name, a folder, a host or a key.
const PLANTED: &str = "Canary9";

/// What may stand right before an absolute path: nothing of a word.
fn before() -> impl Strategy<Value = String> {
    "([a-z]{0,6}[ \t\n(='\"`:,;\\[<|{])?"
}

fn after() -> impl Strategy<Value = String> {
    "([ \t\n)'\"`:,;\\]>|}][a-z0-9 ]{0,6})?"
}

/// An argument that is a flag outside the list, with or without its value.
fn hidden() -> impl Strategy<Value = Vec<String>> {
    let flag = "-{1,2}[a-z]{2,8}[_x]".prop_filter("listed", |flag| !FLAGS.contains(&flag.as_str()));
    (flag, any::<bool>()).prop_map(|(flag, inline)| {
        if inline { vec![format!("{flag}={PLANTED}")] } else { vec![flag, PLANTED.to_owned()] }
    })
}

/// A listed flag whose value is a path, an address or longer than any honest one.
fn unfit() -> impl Strategy<Value = Vec<String>> {
    let value = prop_oneof!["/[a-z]{1,8}/", "[a-z]{1,8}:", "[a-z0-9]{24}", "[a-z]{1,4} "];
    (prop::sample::select(FLAGS.to_vec()), value)
        .prop_map(|(flag, value)| vec![format!("{flag}={value}{PLANTED}")])
}

fn listed() -> impl Strategy<Value = Vec<String>> {
    (prop::sample::select(FLAGS.to_vec()), 0..99_999_u32)
        .prop_map(|(flag, number)| vec![format!("{flag}={number}")])
}

proptest! {
    #[test]
    fn no_folder_of_an_absolute_path_survives(
        before in before(), root in "(/|~/)", folders in vec("[a-z.]{0,5}", 0..3), after in after(),
    ) {
        let path = [vec![PLANTED.to_owned()], folders, vec!["x.gguf".to_owned()]].concat().join("/");
        let shown = text(&format!("{before}{root}{path}{after}"));
        prop_assert!(!shown.contains(PLANTED), "{shown:?}");
        prop_assert!(shown.contains("x.gguf"), "{shown:?}");
    }

    #[test]
    fn no_address_survives(before in before(), scheme in "[a-z]{2,6}", after in after()) {
        let shown = text(&format!("{before}{scheme}://{PLANTED}:8080/v1{after}"));
        prop_assert!(!shown.contains(PLANTED), "{shown:?}");
        let shown = text(&format!("{before}{PLANTED}@example.org{after}"));
        prop_assert!(!shown.contains(PLANTED), "{shown:?}");
    }

    #[test]
    fn a_text_without_paths_and_addresses_stays_as_it_is(plain in "([a-zA-Z0-9.,()%=_ \t\n-]|[a-z]/[a-z])*") {
        prop_assume!(!plain.split_whitespace().any(|word| word.contains('-') && word.contains('/')));
        prop_assert_eq!(text(&plain), plain);
    }

    #[test]
    fn a_text_that_went_through_goes_through_unchanged(any in any::<String>()) {
        let once = text(&any);
        prop_assert_eq!(text(&once), once);
    }

    #[test]
    fn only_the_list_is_shown_and_what_is_left_out_is_counted(
        args in vec(prop_oneof![hidden(), unfit(), listed()], 0..8),
    ) {
        let left_out = args.iter().filter(|arg| arg.iter().any(|word| word.contains(PLANTED))).count();
        let shown = arguments(&args.concat());
        prop_assert!(!shown.iter().any(|line| line.contains(PLANTED)), "{shown:?}");
        let expected = args.len() - left_out + usize::from(left_out > 0);
        prop_assert_eq!(shown.len(), expected);
        if left_out > 0 {
            prop_assert_eq!(shown.last().cloned(), Some(format!("({left_out} not shown)")));
        }
    }

    #[test]
    fn arguments_of_any_kind_end_in_listed_flags(args in vec(any::<String>(), 0..8)) {
        for line in arguments(&args) {
            let flag = line.split(' ').next().unwrap_or_default();
            prop_assert!(FLAGS.contains(&flag) || line.ends_with(" not shown)"), "{line:?}");
        }
    }

    #[test]
    fn a_model_file_is_shown_without_its_folders(folders in vec("[a-z ]{1,8}", 1..4)) {
        let path = format!("/{PLANTED}/{}/x.gguf", folders.join("/"));
        prop_assert_eq!(base_name(&path, true), "x.gguf");
        for path in [format!("~/{PLANTED}/x.gguf"), format!("./{PLANTED}/x.gguf"), format!("/{PLANTED}/x.gguf")] {
            prop_assert_eq!(base_name(&path, true), "x.gguf");
        }
    }
}
