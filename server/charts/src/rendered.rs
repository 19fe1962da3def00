//! What a chart becomes: pictures at fixed widths, and the same figures as a table.

/// A chart, drawn. Text has the same size in every width, so show the one that fits instead of scaling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// [`WIDE`](crate::WIDE) pixels.
    pub wide: String,
    /// [`NARROW`](crate::NARROW) pixels.
    pub narrow: String,
    /// [`SMALL`](crate::SMALL) pixels: fits a card on a phone of 360.
    pub small: String,
    /// The figures behind the picture.
    pub table: DataTable,
}

/// Texts, ready to be shown; not escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataTable {
    /// Heads, units included.
    pub head: Vec<String>,
    /// As many cells a row as there are heads.
    pub rows: Vec<Vec<String>>,
}

impl Rendered {
    /// All widths in one container whose style (see [`stylesheet`](crate::stylesheet)) shows the widest that fits.
    #[must_use]
    pub fn figure(&self) -> String {
        format!(
            "<div class=\"chart\"><div class=\"chart-wide\">{}</div><div class=\"chart-narrow\">{}</div><div class=\"chart-small\">{}</div></div>",
            self.wide, self.narrow, self.small
        )
    }
}
