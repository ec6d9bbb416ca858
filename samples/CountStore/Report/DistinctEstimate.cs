using System.Numerics;

namespace CountStore.Report;

/// <summary>
/// Estimates how many different keys were shown, in 16 KiB and with an error near 1 % (HyperLogLog): a store that
/// counts more keys than fit its memory must not need a set of them to say how many they are.
/// </summary>
internal sealed class DistinctEstimate
{
    private const int IndexBits = 14;
    private const int Registers = 1 << IndexBits;

    private readonly byte[] _registers = new byte[Registers];

    /// <summary>Shows a key; a key shown again changes nothing.</summary>
    public void Add(ReadOnlySpan<byte> key)
    {
        ulong hash = Hash(key);
        ref byte register = ref _registers[hash >> (64 - IndexBits)];
        byte rank = (byte)(BitOperations.LeadingZeroCount((hash << IndexBits) | (Registers - 1)) + 1);
        if (rank > register) register = rank;
    }

    /// <summary>About how many different keys were shown.</summary>
    public long Count()
    {
        double sum = 0;
        int empty = 0;
        foreach (byte register in _registers)
        {
            sum += Math.Pow(2, -register);
            if (register == 0) empty++;
        }

        double estimate = 0.7213 / (1 + (1.079 / Registers)) * Registers * Registers / sum;
        // Below some five keys for two registers, counting the empty registers is the better estimate.
        if (estimate < 2.5 * Registers && empty > 0) estimate = Registers * Math.Log((double)Registers / empty);
        return (long)Math.Round(estimate);
    }

    // 64-bit FNV-1a over the bytes, its bits then mixed, since FNV's high bits alone are too regular for short keys.
    private static ulong Hash(ReadOnlySpan<byte> key)
    {
        ulong hash = 0xCBF29CE484222325;
        foreach (byte value in key) hash = (hash ^ value) * 0x100000001B3;
        hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9;
        hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EB;
        return hash ^ (hash >> 31);
    }
}
