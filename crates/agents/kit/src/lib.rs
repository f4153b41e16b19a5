//! What assistants share: tools, history, the order of events, figures.
