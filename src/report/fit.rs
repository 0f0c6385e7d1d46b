//! Tables on terminals that are narrower than they are.

/// So many characters of the longest name in the last column are worth more than other columns.
const NAMES: usize = 30;

/// Blanks between columns.
pub(super) const GAP: usize = 2;

/// Makes a table fit into `width` characters. `widths` are those of all columns but the last, 0 where
/// one is not shown; columns that have no room get 0. `longest` is the longest name in the last one.
///
/// Columns that can be done without are `spared`, the least missed first, and those from `spare` on,
/// the last one first.
///
/// Returns how many characters of the last column there is room for, and how many columns have none.
pub(super) fn fit(
    spared: &[&str],
    headings: &[&str],
    widths: &mut [usize],
    spare: usize,
    longest: usize,
    width: usize,
) -> (usize, usize) {
    let names = longest.min(NAMES);
    let taken = |widths: &[usize]| -> usize {
        widths.iter().filter(|width| **width > 0).map(|width| width + GAP).sum()
    };
    let mut left_out = 0;
    for &spared in spared {
        if taken(widths) + names <= width {
            break;
        }
        for i in 0..widths.len() {
            if headings[i] != spared || widths[i] == 0 {
                continue;
            }
            widths[i] = 0;
            left_out += 1;
            // A column of percents belongs to the one before.
            if let Some(part) = widths.get_mut(i + 1).filter(|_| headings[i + 1] == "%") {
                *part = 0;
                left_out += 1;
            }
        }
    }
    for i in (spare.min(widths.len())..widths.len()).rev() {
        if taken(widths) + names > width && widths[i] > 0 {
            widths[i] = 0;
            left_out += 1;
        }
    }
    (width.saturating_sub(taken(widths)).max(names), left_out)
}

/// The first characters of a text, with a sign that there are more.
pub(super) fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPARED: [&str; 2] = ["longest", "inclusive"];
    const HEADINGS: [&str; 7] = ["exclusive", "%", "inclusive", "%", "visits", "longest", "region"];

    #[test]
    fn nothing_is_left_out_where_there_is_room() {
        let mut widths = [9, 5, 9, 5, 6, 8];
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 6, 70, 100), (100 - 54, 0));
        assert_eq!(widths, [9, 5, 9, 5, 6, 8]);
    }

    #[test]
    fn columns_go_in_their_order_and_the_main_ones_stay() {
        let mut widths = [9, 5, 9, 5, 6, 8];
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 6, 70, 80), (36, 1));
        assert_eq!(widths, [9, 5, 9, 5, 6, 0]);
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 6, 70, 60), (34, 2));
        assert_eq!(widths, [9, 5, 0, 0, 6, 0]);
        assert_eq!(fit(&SPARED, &HEADINGS, &mut [9, 5, 9, 5, 6, 8], 6, 6, 60), (6, 0));
        // Lines are longer than the terminal then.
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 6, 70, 10), (NAMES, 0));
    }

    #[test]
    fn columns_that_can_be_spared_go_from_the_last_one_on() {
        let mut widths = [9, 5, 9, 5, 6, 8];
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 4, 70, 10), (NAMES, 4));
        assert_eq!(widths, [9, 5, 0, 0, 0, 0]);
    }

    #[test]
    fn a_cut_text_shows_that_it_is() {
        assert_eq!(cut("größer", 6), "größer");
        assert_eq!(cut("größer", 5), "größ…");
    }
}
