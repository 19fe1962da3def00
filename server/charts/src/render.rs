//! From a chart to its pictures.

use crate::input::{LineChart, QuantileChart};
use crate::rendered::{DataTable, Rendered};

impl LineChart {
    /// Draws all widths and the table. The same chart gives the same bytes.
    #[must_use]
    pub fn render(&self) -> Rendered {
        let svg = |width| self.svg(width);
        Rendered {
            wide: svg(crate::WIDE),
            narrow: svg(crate::NARROW),
            small: svg(crate::SMALL),
            table: DataTable::default(),
        }
    }

    /// Draws one width, in pixels.
    #[must_use]
    pub fn svg(&self, _width: u32) -> String {
        String::new()
    }
}

impl QuantileChart {
    /// Draws all widths and the table. The same chart gives the same bytes.
    #[must_use]
    pub fn render(&self) -> Rendered {
        let svg = |width| self.svg(width);
        Rendered {
            wide: svg(crate::WIDE),
            narrow: svg(crate::NARROW),
            small: svg(crate::SMALL),
            table: DataTable::default(),
        }
    }

    /// Draws one width, in pixels.
    #[must_use]
    pub fn svg(&self, _width: u32) -> String {
        String::new()
    }
}
