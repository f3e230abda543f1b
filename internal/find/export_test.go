package find

// For tests outside the package, which can import what imports it.
var Grow = grow
