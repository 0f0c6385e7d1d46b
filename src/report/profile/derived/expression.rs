//! Arithmetic with metrics: `PAPI_TOT_INS / PAPI_TOT_CYC`.
//!
//! Numbers, names, `+ - * /` and parentheses, as everybody reads them. A name has letters, digits and `_ : . # = @`;
//! any other stands in quotes. `time` is the time in seconds, unless a metric is called that.

use std::str::FromStr;

/// Expression of a derived metric.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number.
    Number(f64),
    /// A metric by its name, or `time`.
    Name(String),
    /// The number with the other sign.
    Minus(Box<Expression>),
    /// Two parts, and what is done with them.
    Both(Box<Expression>, Operator, Box<Expression>),
}

/// Operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The sum.
    Plus,
    /// The difference.
    Minus,
    /// The product.
    Times,
    /// The quotient.
    Over,
}

impl Operator {
    fn of(sign: char) -> Option<Operator> {
        match sign {
            '+' => Some(Operator::Plus),
            '-' => Some(Operator::Minus),
            '*' => Some(Operator::Times),
            '/' => Some(Operator::Over),
            _ => None,
        }
    }

    /// Products before sums.
    fn binds_closely(self) -> bool {
        matches!(self, Operator::Times | Operator::Over)
    }
}

impl Expression {
    /// The number, given what names stand for. `None` where one stands for nothing, or where the number is not finite.
    pub fn value(&self, of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let value = match self {
            Expression::Number(number) => *number,
            Expression::Name(name) => of(name)?,
            Expression::Minus(other) => -other.value(of)?,
            Expression::Both(left, operator, right) => {
                let (left, right) = (left.value(of)?, right.value(of)?);
                match operator {
                    Operator::Plus => left + right,
                    Operator::Minus => left - right,
                    Operator::Times => left * right,
                    Operator::Over => left / right,
                }
            }
        };
        Some(value).filter(|value| value.is_finite())
    }

    /// All names in it.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Expression::Number(_) => Vec::new(),
            Expression::Name(name) => vec![name],
            Expression::Minus(other) => other.names(),
            Expression::Both(left, _, right) => [left.names(), right.names()].concat(),
        }
    }
}

impl FromStr for Expression {
    type Err = String;

    fn from_str(text: &str) -> Result<Expression, String> {
        let mut parser = Parser { rest: text, parts: 0 };
        let expression = parser.sum()?;
        match parser.next_sign() {
            None => Ok(expression),
            Some(sign) => Err(format!("{sign} is not expected there: {text}")),
        }
    }
}

/// More parts than anybody writes: parentheses and signs are followed by calls.
const MOST_PARTS: usize = 256;

struct Parser<'a> {
    rest: &'a str,
    parts: usize,
}

impl Parser<'_> {
    fn next_sign(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn skip(&mut self, sign: char) {
        self.rest = &self.rest[sign.len_utf8()..];
    }

    /// Parts with operators between them; each is of what binds more closely.
    fn chain(
        &mut self,
        closely: bool,
        part: fn(&mut Self) -> Result<Expression, String>,
    ) -> Result<Expression, String> {
        let mut left = part(self)?;
        while let Some(sign) = self.next_sign() {
            let operator = Operator::of(sign).filter(|of| of.binds_closely() == closely);
            let Some(operator) = operator else { break };
            self.skip(sign);
            left = Expression::Both(Box::new(left), operator, Box::new(part(self)?));
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Expression, String> {
        self.chain(false, Self::product)
    }

    fn product(&mut self) -> Result<Expression, String> {
        self.chain(true, Self::part)
    }

    fn part(&mut self) -> Result<Expression, String> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(format!("more than {MOST_PARTS} parts"));
        }
        match self.next_sign() {
            Some('(') => {
                self.skip('(');
                let inner = self.sum()?;
                if self.next_sign() != Some(')') {
                    return Err("a ) is missing".to_owned());
                }
                self.skip(')');
                Ok(inner)
            }
            Some('-') => {
                self.skip('-');
                Ok(Expression::Minus(Box::new(self.part()?)))
            }
            Some(quote @ ('"' | '\'')) => {
                self.skip(quote);
                let (name, rest) =
                    self.rest.split_once(quote).ok_or_else(|| format!("a {quote} is missing"))?;
                let name = name.to_owned();
                self.rest = rest;
                Ok(Expression::Name(name))
            }
            Some(sign) if sign.is_ascii_digit() || sign == '.' => self.number(),
            Some(sign) if is_of_name(sign) => {
                let name = self.take(is_of_name);
                Ok(Expression::Name(name))
            }
            Some(sign) => Err(format!("{sign} is not expected: a metric or number is")),
            None => Err("a metric or number is missing at the end".to_owned()),
        }
    }

    fn number(&mut self) -> Result<Expression, String> {
        let mut before = ' ';
        let digits = |sign: char| {
            let is_sign = matches!(sign, '+' | '-') && matches!(before, 'e' | 'E');
            before = sign;
            sign.is_ascii_alphanumeric() || sign == '.' || is_sign
        };
        let text = self.take(digits);
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.map(Expression::Number).ok_or_else(|| format!("{text} is no number"))
    }

    /// Takes all signs that belong together.
    fn take(&mut self, mut belongs: impl FnMut(char) -> bool) -> String {
        let end = self.rest.find(|sign| !belongs(sign)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        let taken = taken.to_owned();
        self.rest = rest;
        taken
    }
}

fn is_of_name(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | ':' | '.' | '#' | '=' | '@')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<f64> {
        let of = |name: &str| match name {
            "a" => Some(6.0),
            "perf::cache-misses" => Some(3.0),
            "rocm:::energy:device=0" => Some(10.0),
            "zero" => Some(0.0),
            _ => None,
        };
        text.parse::<Expression>().expect("an expression").value(&of)
    }

    #[test]
    fn products_bind_more_closely_than_sums() {
        assert_eq!(value("1 + 2 * 3"), Some(7.0));
        assert_eq!(value("(1 + 2) * 3"), Some(9.0));
        assert_eq!(value("8 - 2 - 1"), Some(5.0));
        assert_eq!(value("8 / 2 / 2"), Some(2.0));
        assert_eq!(value("-a + --1e+1"), Some(4.0));
        assert_eq!(value("1e3*.5"), Some(500.0));
    }

    #[test]
    fn names_may_be_quoted() {
        assert_eq!(value("a/\"perf::cache-misses\""), Some(2.0));
        assert_eq!(value("rocm:::energy:device=0*2"), Some(20.0));
        assert_eq!(value("'a'"), Some(6.0));
        let names = "b + 2*(c - b)".parse::<Expression>().expect("an expression");
        assert_eq!(names.names(), ["b", "c", "b"]);
    }

    #[test]
    fn what_is_not_there_has_no_value() {
        assert_eq!(value("unknown + 1"), None);
        assert_eq!(value("a / zero"), None);
        assert_eq!(value("0 * (1 / zero)"), None);
    }

    #[test]
    fn mistakes_are_refused() {
        for text in ["", "a b", "a +", "(a", "a)", "\"a", "1e", "1.2.3", "*a", "a ? b", "1e999"] {
            assert!(text.parse::<Expression>().is_err(), "{text}");
        }
        assert!("(".repeat(100_000).parse::<Expression>().is_err());
        assert!("-".repeat(100_000).parse::<Expression>().is_err());
        assert!(vec!["a"; 1000].join("+").parse::<Expression>().is_err());
    }
}
