//! A connection that breaks off is an error.
//!
//! A body without a length ends with its connection. `ureq` takes one that breaks off for such an end, and so half
//! a list for the whole. TLS tells the two apart (RFC 8446 §6.1).

use std::io;

use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// Wraps what the connector before it has opened.
#[derive(Debug)]
pub struct OnlyWhole;

impl<In: Transport> Connector<In> for OnlyWhole {
    type Out = UntilEnd<In>;

    fn connect(
        &self,
        _: &ConnectionDetails,
        chained: Option<In>,
    ) -> Result<Option<UntilEnd<In>>, ureq::Error> {
        Ok(chained.map(UntilEnd))
    }
}

/// A connection whose end was announced, or is an error.
#[derive(Debug)]
pub struct UntilEnd<In>(In);

impl<In: Transport> Transport for UntilEnd<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        self.0.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.0.await_input(timeout).map_err(|error| match error {
            ureq::Error::Io(error) if is_break(error.kind()) => {
                io::Error::other("the connection broke off").into()
            }
            other => other,
        })
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}

/// The kinds of error that `ureq` takes for the end of a body.
fn is_break(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, UnexpectedEof | ConnectionAborted | ConnectionReset)
}
