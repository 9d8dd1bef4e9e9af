//! What a request carries: its expressions are evaluated when the program comes to it.

use super::super::wire::{Carries, encode};
use super::program::{Failed, Interpreter};
use crashpoint::expression::{ErrorClass, Expr, Failure};
use crashpoint::program::Request;
use crashpoint::value::{Name, Row, Value};
use std::rc::Rc;

impl Interpreter {
    pub(super) fn receipt(&mut self, task: u32, message: &Expr, line: u32) -> Result<(u16, u32), Failed> {
        let value = self.of(task, message, line)?;
        let receipt = match &value {
            Value::Row(row) => row.get("receipt").cloned(),
            other => Some(other.clone()),
        };
        match receipt {
            Some(Value::Receipt { queue, delivery }) => Ok((queue, delivery)),
            _ => Err((line, Failure::new(ErrorClass::Error, "expected a received message"))),
        }
    }

    fn row(&mut self, task: u32, fields: &[(Name, Expr)], line: u32) -> Result<Row, Failed> {
        let names: Rc<[Name]> = fields.iter().map(|(name, _)| name.clone()).collect();
        let mut values = Vec::new();
        for (_, expr) in fields {
            values.push(self.of(task, expr, line)?);
        }
        Ok(Row::new(names, values))
    }

    /// What a request carries, and the values of a statement's variables.
    pub(super) fn carries(
        &mut self,
        task: u32,
        line: u32,
        request: &Request,
    ) -> Result<(Carries, Vec<(Expr, Value)>), Failed> {
        let carries = match request {
            Request::Publish { fields, .. } => Carries::Row(encode(&Value::Row(self.row(task, fields, line)?))),
            Request::Ack(message) | Request::Nack { message, .. } | Request::Extend { message, .. } => {
                let (queue, delivery) = self.receipt(task, message, line)?;
                Carries::Delivery(queue, delivery)
            }
            Request::Confirm(handle) => match self.of(task, handle, line)? {
                Value::Handle(number) => Carries::Handle(number),
                other => {
                    let detail = format!("expected the handle of an asynchronous publish, found {other}");
                    return Err((line, Failure::new(ErrorClass::Error, detail)));
                }
            },
            Request::CallOutside { outside, fields } => {
                let names = self.program.outsides[usize::from(*outside)].record.names.clone();
                let named: Vec<(Name, Expr)> = names.iter().cloned().zip(fields.iter().cloned()).collect();
                Carries::Row(encode(&Value::Row(self.row(task, &named, line)?)))
            }
            Request::CallService { arguments, .. } => {
                let mut values = Vec::new();
                for expr in arguments {
                    values.push(encode(&self.of(task, expr, line)?));
                }
                Carries::Arguments(values)
            }
            Request::Sleep(time) => match self.of(task, time, line)? {
                Value::Interval(time) if time >= 0 => Carries::Time(time),
                other => {
                    let detail = format!("sleep expects a time, found {other}");
                    return Err((line, Failure::new(ErrorClass::Error, detail)));
                }
            },
            Request::Sql { parameters, .. } => {
                let mut values = Vec::new();
                for expr in parameters {
                    values.push((expr.clone(), self.of(task, expr, line)?));
                }
                return Ok((Carries::Nothing, values));
            }
            _ => Carries::Nothing,
        };
        Ok((carries, Vec::new()))
    }
}
