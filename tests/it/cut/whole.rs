//! Without any choice the trace comes out as it is.

use crate::common::archives::{data, Archive};
use crate::common::files::{names, Files};
use crate::cut::{expect, Place};

#[test]
fn a_cut_of_nothing_is_a_copy() {
    let folders = names(&data()).into_iter().map(|name| data().join(name));
    let mut found = 0;
    for archive in folders.filter_map(|folder| Archive::find(&folder)) {
        found += 1;
        for options in [&[][..], &["--keep-definitions"], &["--time", "begin", "end"]] {
            let place = Place::new();
            expect(&place.cut(&archive.anchor, options), 0);
            let expected = Files::read(&archive.anchor);
            Files::read(&place.anchor()).assert_same(&expected, &archive.name);
        }
    }
    assert!(found >= 8, "{found}");
}
