namespace Faster.Workload;

/// <summary>
/// The keys by which a store knows the numbers that are drawn: the numbers themselves, which are dense, or others that
/// are spread over all positive integers, for engines whose hash of a dense key is the key. Immutable.
/// </summary>
/// <param name="AreSpread">Whether they are spread.</param>
internal readonly record struct KeyNames(bool AreSpread)
{
    private const int Mask = int.MaxValue;

    /// <summary>The key of a number.</summary>
    public int Of(int number) => AreSpread ? Spread(number) : number;

    // Each step can be undone within 31 bits: xor with higher bits, and products with odd numbers.
    private static int Spread(int number)
    {
        uint x = (uint)number;
        x ^= x >> 16;
        x = (x * 0x7FEB352D) & Mask;
        x ^= x >> 15;
        x = (x * 0x6C8E9CF5) & Mask;
        x ^= x >> 16;
        return (int)x;
    }
}
