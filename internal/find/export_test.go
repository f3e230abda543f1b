package find

// Grow lets tests outside of the package call grow. They can import packages that import find.
var Grow = grow
