//! Thumbnails: their headers and samples.

use std::io::Write;

use streamfold_model::thumbnails::{ThumbnailHeader, ThumbnailSample};

use super::layout::{Text, ID_WIDTH};
use super::printer::Printer;

/// Width of the column with the names of the records.
const KIND_WIDTH: usize = 16;

impl<W: Write> Printer<W> {
    /// The heading of the thumbnails; archives without any have none.
    pub fn thumbnails_heading(&mut self) {
        self.output.text.push("\nThumbnail headers:\n");
    }

    /// Prints the header of the thumbnail with the number `index`.
    pub fn thumbnail_header(&mut self, index: u32, header: &ThumbnailHeader) {
        let text = &mut self.output.text;
        columns(text, "THUMBNAIL_HEADER", index);
        text.push("Name: \"");
        text.push(&header.name);
        text.push("\", Description: \"");
        text.push(&header.description);
        text.push("\", Type: ");
        text.enumeration(header.thumbnail_type);
        text.push(", Samples: ");
        text.number(header.number_of_samples);
        text.push(", ");
        text.number(header.refs_to_defs.len());
        text.push(" ");
        metrics(text, &header.refs_to_defs);
        self.output.record_done();
    }

    /// Prints the sample with the number `index` of a thumbnail.
    pub fn thumbnail_sample(&mut self, index: u32, sample: &ThumbnailSample) {
        let text = &mut self.output.text;
        columns(text, "THUMBNAIL_SAMPLE", index);
        text.push("Baseline: ");
        text.number(sample.baseline);
        text.push(", ");
        metrics(text, &sample.metric_samples);
        self.output.record_done();
    }
}

fn columns(text: &mut Text, kind: &str, index: u32) {
    text.left(kind, KIND_WIDTH);
    text.push(" ");
    text.right_number(index, ID_WIDTH);
    text.push("  ");
}

fn metrics(text: &mut Text, numbers: &[u64]) {
    text.push(if numbers.len() == 1 { "Metric" } else { "Metrics" });
    let mut before = ": ";
    for number in numbers {
        text.push(before);
        text.number(*number);
        before = ", ";
    }
    text.push("\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::Options;
    use streamfold_model::enums::ThumbnailType;

    #[test]
    fn headers_and_samples() {
        let mut printer = Printer::new(Options::default(), Vec::new());
        printer.thumbnails_heading();
        printer.thumbnail_header(
            0,
            &ThumbnailHeader {
                name: "name".into(),
                description: "what".into(),
                thumbnail_type: ThumbnailType::Region,
                number_of_samples: 2,
                refs_to_defs: vec![3, 1],
            },
        );
        printer.thumbnail_sample(0, &ThumbnailSample { baseline: 9, metric_samples: vec![4] });
        printer.thumbnail_sample(1, &ThumbnailSample { baseline: 0, metric_samples: vec![] });
        let expected = "
Thumbnail headers:
THUMBNAIL_HEADER            0  Name: \"name\", Description: \"what\", Type: REGION, Samples: 2, \
2 Metrics: 3, 1
THUMBNAIL_SAMPLE            0  Baseline: 9, Metric: 4
THUMBNAIL_SAMPLE            1  Baseline: 0, Metrics
";
        assert_eq!(String::from_utf8(printer.finish().unwrap()).unwrap(), expected);
    }
}
