namespace Faster.Workload;

/// <summary>A small seeded generator of 64-bit numbers, so that every run draws the same keys. One thread's.</summary>
/// <remarks>SplitMix64: a Weyl sequence through a 64-bit finalizer (Steele, Lea and Flood, OOPSLA 2014).</remarks>
internal struct SplitMix64(ulong seed)
{
    private const ulong GoldenGamma = 0x9E3779B97F4A7C15;

    private ulong _state = seed;

    /// <summary>The next 64 bits.</summary>
    public ulong Next()
    {
        ulong z = _state += GoldenGamma;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    /// <summary>A number from 0 to <paramref name="bound"/> − 1.</summary>
    public int NextBelow(int bound) => (int)Math.BigMul(Next(), (ulong)bound, out _);

    /// <summary>A number from 0 to 1, 1 excluded.</summary>
    public double NextUnit() => (Next() >> 11) * (1.0 / (1UL << 53));
}
