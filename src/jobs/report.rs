//! `report` as a job: results of other jobs go in, one page comes out.

use super::Observer;
use crate::{
    error::Result,
    report::html::{self, Document, Request},
};

/// One HTML page of results, each the name and the text (JSON) of what another job wrote.
///
/// # Errors
/// Input, when one is not a result, or cannot be shown to the audience of the request.
pub fn run(
    results: &[(String, String)],
    request: Request,
    observer: &dyn Observer,
) -> Result<String> {
    let documents = results.iter().map(|(name, text)| {
        let document = Document::parse(name, text)?;
        document.check_for(request.audience)?;
        Ok(document)
    });
    let documents = observer.stage("read", || documents.collect::<Result<Vec<_>>>())?;
    Ok(html::page(&documents, request))
}
