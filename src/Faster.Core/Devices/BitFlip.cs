namespace Faster;

/// <summary>One bit that reads back wrong.</summary>
/// <param name="Offset">The byte's offset on the device.</param>
/// <param name="Bit">The bit in it, 0 (lowest) to 7.</param>
public readonly record struct BitFlip(long Offset, int Bit);
