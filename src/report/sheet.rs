//! Texts in pictures and pages.

use streamfold_text::human;

/// A text as XML takes it, with signs in place of what is not seen.
pub(super) fn escaped(text: &str) -> String {
    let visible = human::visible(text);
    visible.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
