// Locals of the hit paths are written before they are read; zeroing them first costs several stores an operation.
[module: System.Runtime.CompilerServices.SkipLocalsInit]
