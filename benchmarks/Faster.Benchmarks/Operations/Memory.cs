namespace Faster.Benchmarks.Operations;

/// <summary>How much memory the stores get: enough for all keys, and their index, on each engine.</summary>
internal static class Memory
{
    public static ByteSize For(int keys)
    {
        const long BytesPerKey = 192, Least = 64L << 20;
        return new ByteSize(Math.Max(Least, keys * BytesPerKey));
    }
}
