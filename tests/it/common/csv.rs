//! Tables as the program prints them.

/// The fields of a line of CSV, with quotes around those that have commas in them.
pub fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            letter => fields.last_mut().expect("one at least").push(letter),
        }
    }
    fields
}
