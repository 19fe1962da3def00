//! A CSV file says what went into it, to a strict reader; a spreadsheet is never made to compute.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{csv, csv_cell};

/// A reader of RFC 4180 that accepts nothing beyond it; `None` when the file breaks a rule.
fn read(text: &str) -> Option<Vec<Vec<String>>> {
    let (mut rows, mut row, mut rest) = (Vec::new(), Vec::new(), text);
    while !rest.is_empty() {
        let (cell, after) = cell(rest)?;
        row.push(cell);
        if let Some(next) = after.strip_prefix(',') {
            rest = next;
        } else {
            rest = after.strip_prefix("\r\n")?;
            rows.push(std::mem::take(&mut row));
        }
    }
    row.is_empty().then_some(rows)
}

fn cell(text: &str) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find([',', '\r', '\n', '"'])?;
        return Some((text[..end].to_owned(), &text[end..]));
    };
    let mut cell = String::new();
    loop {
        let end = rest.find('"')?;
        cell.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(more) => {
                cell.push('"');
                rest = more;
            }
            None => return Some((cell, rest)),
        }
    }
}

fn any_cell() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[-=+@\t\r\n,\"a1 ]{0,6}",
        any::<f64>().prop_map(|number| number.to_string()),
    ]
}

proptest! {
    #[test]
    fn every_cell_comes_back_but_for_the_guard(
        (head, rows) in (1..4_usize).prop_flat_map(|width| {
            (vec(any_cell(), width), vec(vec(any_cell(), width), 0..4))
        }),
    ) {
        let text = csv(&head, &rows);
        let back = read(&text);
        prop_assert!(back.is_some(), "no CSV: {text:?}");
        let written: Vec<&Vec<String>> = std::iter::once(&head).chain(&rows).collect();
        for (row, cells) in back.unwrap_or_default().iter().zip(&written) {
            prop_assert_eq!(row.len(), cells.len());
            for (read, cell) in row.iter().zip(cells.iter()) {
                prop_assert!(read == cell || *read == format!("'{cell}"), "{read:?} from {cell:?}");
            }
        }
        prop_assert_eq!(read(&text).map(|rows| rows.len()), Some(written.len()));
    }

    #[test]
    fn no_cell_is_a_formula(text in any_cell()) {
        let shown = csv_cell(&text);
        let inner = shown.strip_prefix('"').unwrap_or(&shown);
        let is_number = text.parse::<f64>().is_ok();
        prop_assert!(!inner.starts_with(['=', '+', '@', '\t', '\r', '\n']), "{shown:?}");
        prop_assert!(!inner.starts_with('-') || is_number, "{shown:?}");
    }

    #[test]
    fn a_number_stays_a_number(number in any::<f64>()) {
        prop_assume!(number.is_finite());
        prop_assert_eq!(csv_cell(&number.to_string()).parse::<f64>(), Ok(number));
    }
}
