namespace Faster.Testing;

/// <summary>One bit that is inverted when it is read.</summary>
/// <param name="Offset">The byte's offset on the device.</param>
/// <param name="Bit">The bit in the byte, 0 (lowest) to 7.</param>
public readonly record struct BitFlip(long Offset, int Bit);
