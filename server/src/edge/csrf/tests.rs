use proptest::prelude::*;

use super::*;

fn verdict(method: &Method, fetch_site: Sent<'_>, origin: Sent<'_>, host: &str, public: &str) -> bool {
    let (host, public) = (HostName::parse(host), PublicUrl::parse(public).expect("an address"));
    decide(method, Evidence { fetch_site, origin, host: host.as_ref() }, &public).is_ok()
}

const PUBLIC: &str = "https://inferex.example.org";
const HOST: &str = "inferex.example.org";

#[test]
fn a_table_of_browsers_and_forgers() {
    use Sent::{Absent, Garbled, Once};
    let local = "http://127.0.0.1:8080";
    let table = [
        // Sec-Fetch-Site, Origin, Host, public address, passes
        (Once("same-origin"), Once(PUBLIC), HOST, PUBLIC, true),
        (Once("same-origin"), Absent, HOST, PUBLIC, true),
        (Once("same-site"), Once(PUBLIC), HOST, PUBLIC, false),
        (Once("cross-site"), Once(PUBLIC), HOST, PUBLIC, false),
        (Once("none"), Absent, HOST, PUBLIC, false),
        (Garbled, Once(PUBLIC), HOST, PUBLIC, false),
        (Absent, Once(PUBLIC), HOST, PUBLIC, true),
        (Absent, Once("https://evil.example"), HOST, PUBLIC, false),
        (Absent, Once("http://inferex.example.org"), HOST, PUBLIC, false),
        (Absent, Once("https://inferex.example.org.evil.example"), HOST, PUBLIC, false),
        (Absent, Once("null"), HOST, PUBLIC, false),
        (Absent, Garbled, HOST, PUBLIC, false),
        (Absent, Absent, HOST, PUBLIC, false),
        (Absent, Once(local), "127.0.0.1:8080", local, true),
        (Absent, Once("http://localhost:9000"), "localhost:9000", local, true),
        (Absent, Once("http://localhost:9000"), "localhost:8080", local, false),
        (Absent, Once("http://evil.example"), "evil.example", local, false),
    ];
    for (fetch_site, origin, host, public, passes) in table {
        let case = format!("{fetch_site:?} {origin:?} {host} {public}");
        assert_eq!(verdict(&Method::POST, fetch_site, origin, host, public), passes, "{case}");
    }
}

fn any_sent(words: &'static [&'static str]) -> impl Strategy<Value = Sent<'static>> {
    prop_oneof![Just(Sent::Absent), Just(Sent::Garbled), proptest::sample::select(words).prop_map(Sent::Once)]
}

proptest! {
    #[test]
    fn reads_always_pass(
        fetch_site in any_sent(&["cross-site", "same-origin", "x"]),
        origin in any_sent(&["https://evil.example", "null", PUBLIC]),
        head in any::<bool>(),
    ) {
        let method = if head { Method::HEAD } else { Method::GET };
        prop_assert!(verdict(&method, fetch_site, origin, HOST, PUBLIC));
    }

    #[test]
    fn a_change_passes_only_with_one_of_the_two_proofs(
        fetch_site in any_sent(&["cross-site", "same-site", "none", "same-origin", "Same-Origin", ""]),
        origin in any_sent(&["https://evil.example", "null", PUBLIC, ""]),
        method in proptest::sample::select(&["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"][..]),
    ) {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let proof = fetch_site == Sent::Once("same-origin")
            || (fetch_site == Sent::Absent && origin == Sent::Once(PUBLIC));
        prop_assert_eq!(verdict(&method, fetch_site, origin, HOST, PUBLIC), proof);
    }

    #[test]
    fn no_foreign_origin_passes(origin in "\\PC{0,40}") {
        prop_assume!(origin != PUBLIC);
        prop_assert!(!verdict(&Method::POST, Sent::Absent, Sent::Once(&origin), HOST, PUBLIC));
    }
}
