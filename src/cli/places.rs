//! Where the files that a plan or a recipe names are.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
};

use super::files::name_of;
use crate::{
    error::{Error, Result},
    options::words,
};

/// Where files are looked for, and what was found.
#[derive(Debug)]
pub(super) struct Places {
    /// What to do where one is not found.
    remedy: &'static str,
    /// The folders in which a relative name is looked up, in this order.
    folders: Vec<PathBuf>,
    /// Every file that was found, in the order of the plan.
    found: RefCell<Vec<PathBuf>>,
}

impl Places {
    /// Beside a recipe, and the current folder.
    pub fn of_recipe(recipe: &Path) -> Self {
        Self {
            remedy: "Put it beside the recipe or in the current folder",
            folders: vec![beside(recipe), PathBuf::new()],
            found: RefCell::default(),
        }
    }

    /// Beside the plan, the current folder, and the folder of `--data`.
    ///
    /// # Errors
    /// Failed, when `--data` is no folder: even where nothing is looked up there, it was meant to be one.
    pub fn new(plan: &Path, data: Option<&Path>) -> Result<Self> {
        if let Some(data) = data.filter(|data| !data.is_dir()) {
            return Err(Error::failed("there is no such folder")
                .in_file(name_of(data))
                .remedy("Check --data: it says where else the plan's files are looked for"));
        }
        let mut folders = vec![beside(plan), PathBuf::new()];
        folders.extend(data.map(Path::to_path_buf));
        Ok(Self {
            remedy: "Put it beside the plan or in the current folder, or say where it is: --data FOLDER",
            folders,
            found: RefCell::default(),
        })
    }

    /// The file of this name, or the folder that holds a table in parts.
    ///
    /// # Errors
    /// Failed, when there is none.
    pub fn find_table(&self, name: &str) -> Result<PathBuf> {
        let is_there = |path: &Path| path.is_file() || path.is_dir() && !name.is_empty();
        self.look_for(name, is_there)
    }

    fn look_for(&self, name: &str, is_there: impl Fn(&Path) -> bool) -> Result<PathBuf> {
        let path = self
            .folders
            .iter()
            .map(|folder| folder.join(name))
            .find(|path| is_there(path));
        let path = path.ok_or_else(|| {
            Error::failed(format!("names {name:?}: there is no such file")).remedy(self.remedy)
        })?;
        let mut found = self.found.borrow_mut();
        if !found.contains(&path) {
            found.push(path.clone());
        }
        Ok(path)
    }

    /// Every file that was found, in the order of the plan: what a run reads.
    pub fn found(&self) -> Vec<PathBuf> {
        self.found.borrow().clone()
    }
}

impl words::Places for Places {
    fn find(&self, name: &str) -> Result<PathBuf> {
        self.look_for(name, Path::is_file)
    }
}

/// The folder that a file is in.
fn beside(file: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::words::Places as _;
    use std::fs;

    #[test]
    fn the_plans_own_folder_comes_first() {
        let root = tempfile::tempdir().unwrap();
        let [plans, data] = ["plans", "data"].map(|name| root.path().join(name));
        for folder in [&plans, &data] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(data.join("a.csv"), "x").unwrap();
        fs::write(data.join("b.csv"), "x").unwrap();
        fs::write(plans.join("a.csv"), "x").unwrap();
        let places = Places::new(&plans.join("plan.toml"), Some(&data)).unwrap();
        assert_eq!(places.find("a.csv").unwrap(), plans.join("a.csv"));
        assert_eq!(places.find("b.csv").unwrap(), data.join("b.csv"));
        assert_eq!(places.find("a.csv").unwrap(), plans.join("a.csv"));
        assert_eq!(places.found().len(), 2);
        assert!(
            places
                .find("c.csv")
                .unwrap_err()
                .to_string()
                .contains("--data")
        );
    }
}
