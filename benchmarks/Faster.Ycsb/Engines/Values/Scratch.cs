namespace Faster.Ycsb.Engines.Values;

/// <summary>Where a client of <see cref="Blobs"/> wants what it reads; the value is copied there as a whole.</summary>
internal sealed class Scratch(int length)
{
    /// <summary>The bytes.</summary>
    public byte[] Bytes { get; } = new byte[length];
}
