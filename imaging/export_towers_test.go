package imaging

// The plain painter of Towers draws these outlines too.
var (
	CutDiamond  = cutDiamond
	FillPadlock = fillPadlock
	FillKeyed   = fillKeyed
)
