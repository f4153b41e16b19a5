//! Chat and embedding models of several providers behind one interface.
