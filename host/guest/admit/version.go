package admit

// Version is that of the rules: what was admitted under another one is looked
// at again.
const Version = 1
