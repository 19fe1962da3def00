//! The static files, embedded. The server gives them hashed names, see [`crate::context::AssetPaths`].

/// The style sheet, in layers: tokens, base, parts, pages. The charts' own rules are appended by the server.
#[must_use]
pub fn stylesheet() -> String {
    [
        include_str!("../../style/tokens.css"),
        include_str!("../../style/base.css"),
        include_str!("../../style/layout.css"),
        include_str!("../../style/parts.css"),
        include_str!("../../style/tables.css"),
        include_str!("../../style/pages.css"),
        include_str!("../../style/print.css"),
    ]
    .concat()
}

/// The script: theme, copy buttons, shortcuts. Every page works without it.
#[must_use]
pub fn script() -> &'static str {
    include_str!("../../public/app.js")
}

/// The icon.
#[must_use]
pub fn favicon() -> &'static str {
    include_str!("../../public/favicon.svg")
}

/// For crawlers.
#[must_use]
pub fn robots() -> &'static str {
    include_str!("../../public/robots.txt")
}
