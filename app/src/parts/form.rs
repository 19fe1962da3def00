//! Forms: fields with their label above, help below, the error in words; buttons that say why they are disabled.

use leptos::prelude::*;

/// One field of a form.
pub(crate) struct Field<'a> {
    /// Unique on the page.
    pub(crate) id: &'a str,
    /// As the server function calls it.
    pub(crate) name: &'a str,
    /// Above the field.
    pub(crate) label: &'a str,
    /// `text`, `password`, `number`.
    pub(crate) kind: &'a str,
    /// Filled in at first.
    pub(crate) value: String,
    /// Below, in grey.
    pub(crate) help: &'a str,
    /// What browsers and password managers fill in.
    pub(crate) autocomplete: &'a str,
    /// Why it was refused.
    pub(crate) error: Option<String>,
}

/// A one-line field.
pub(crate) fn field(field: Field<'_>) -> AnyView {
    let Field { id, name, label, kind, value, help, autocomplete, error } = field;
    let (id, described) = (id.to_owned(), describe(id, help, error.as_ref()));
    let invalid = error.is_some().then_some("true");
    view! {
        <div class="field">
            <label for=id.clone()>{label.to_owned()}</label>
            <input id=id.clone() name=name.to_owned() type=kind.to_owned() value=value required
                autocomplete=autocomplete.to_owned() aria-describedby=described aria-invalid=invalid/>
            {below(&id, help, error)}
        </div>
    }
    .into_any()
}

/// A field for a file's text.
pub(crate) fn area(id: &str, label: &str, value: &str, help: &str, error: Option<String>) -> AnyView {
    let described = describe(id, help, error.as_ref());
    let invalid = error.is_some().then_some("true");
    view! {
        <div class="field wide">
            <label for=id.to_owned()>{label.to_owned()}</label>
            <textarea id=id.to_owned() name="toml" rows="10" spellcheck="false" required
                aria-describedby=described aria-invalid=invalid inner_html=area_text(value)></textarea>
            {below(id, help, error)}
        </div>
    }
    .into_any()
}

/// Escaped, behind the line break that a browser drops; a plain text child would reach the browser unescaped.
fn area_text(value: &str) -> String {
    format!("\n{}", crate::text::escape(value))
}

fn describe(id: &str, help: &str, error: Option<&String>) -> Option<String> {
    let ids: Vec<String> =
        [(!help.is_empty()).then(|| format!("{id}-help")), error.map(|_| format!("{id}-error"))]
            .into_iter()
            .flatten()
            .collect();
    (!ids.is_empty()).then(|| ids.join(" "))
}

fn below(id: &str, help: &str, error: Option<String>) -> AnyView {
    let error = error.map(|error| view! { <p class="error" id=format!("{id}-error")>{error}</p> });
    let help =
        (!help.is_empty()).then(|| view! { <p class="help" id=format!("{id}-help")>{help.to_owned()}</p> });
    view! { {error}{help} }.into_any()
}

/// A choice out of a fixed list: value and label.
pub(crate) fn select(id: &str, name: &str, label: &str, options: &[(&str, String)], chosen: &str) -> AnyView {
    let options: Vec<_> = options
        .iter()
        .map(|(value, text)| {
            view! { <option value=(*value).to_owned() selected=*value == chosen>{text.clone()}</option> }
        })
        .collect();
    view! {
        <div class="field">
            <label for=id.to_owned()>{label.to_owned()}</label>
            <select id=id.to_owned() name=name.to_owned()>{options}</select>
        </div>
    }
    .into_any()
}

/// A form of one button, or the button disabled with its reason beside it.
pub(crate) struct Button<'a> {
    /// The server function's address.
    pub(crate) action: &'a str,
    /// On the button.
    pub(crate) label: &'a str,
    /// `button`, `button primary`, `button danger`, …
    pub(crate) class: &'a str,
    /// Sent along.
    pub(crate) hidden: Vec<(&'a str, String)>,
    /// Why it cannot be pressed.
    pub(crate) blocked: Option<String>,
}

/// The form of that button.
pub(crate) fn button(button: Button<'_>) -> AnyView {
    let Button { action, label, class, hidden, blocked } = button;
    if let Some(reason) = blocked {
        return refused(label, class, reason);
    }
    view! {
        <form method="post" action=action.to_owned() class="act">
            {self::hidden(hidden)}
            <button class=class.to_owned()>{label.to_owned()}</button>
        </form>
    }
    .into_any()
}

/// A disabled button with its reason.
pub(crate) fn refused(label: &str, class: &str, reason: String) -> AnyView {
    view! {
        <span class="act refused">
            <button type="button" class=class.to_owned() disabled>{label.to_owned()}</button>
            <span class="why">{reason}</span>
        </span>
    }
    .into_any()
}

/// Values sent along with a form.
pub(crate) fn hidden(values: Vec<(&str, String)>) -> AnyView {
    values
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name.to_owned() value=value/> })
        .collect::<Vec<_>>()
        .into_any()
}

/// A destructive act that names what is lost and asks once.
pub(crate) fn confirm(opener: &str, lost: &str, button_: Button<'_>) -> AnyView {
    if let Some(reason) = button_.blocked {
        return refused(opener, "button", reason);
    }
    view! {
        <details class="confirm">
            <summary class="button">{opener.to_owned()}</summary>
            <div class="confirm-body"><p>{lost.to_owned()}</p>{button(button_)}</div>
        </details>
    }
    .into_any()
}
