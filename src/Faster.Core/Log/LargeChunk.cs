namespace Faster.Log;

/// <summary>
/// One piece of a value that does not fit into a page: a record of the log that belongs to no chain and has no key
/// (docs/formats/record.md).
/// </summary>
/// <remarks>
/// <para>A value's chunks are written last first, so that each names the one behind it and a reader goes forward. Each
/// names the length of that one, too, so that a reader asks the device for the right number of bytes. The last one has
/// the key's hash instead: whoever is about to give it up finds by that whether a record leads to the value.</para>
/// <para>Its header has the bits large and invalid: walkers step over it as over every invalid record, and commits and
/// recoveries neither count it nor leave it out. No record with a key ever has both
/// (<see cref="RecordHeader.Invalidated"/>). It is filled within the epoch in which its room was taken, and never
/// changes.</para>
/// </remarks>
internal static unsafe class LargeChunk
{
    /// <summary>The bytes before those of the value.</summary>
    public const int Prefix = 24;

    private const ulong Marks = RecordHeader.Large | RecordHeader.Invalid;
    private const int NextAt = 8; // the hash in a value's last chunk
    private const int LengthAt = 16;
    private const int NextLengthAt = 20;

    /// <summary>Whether a header is one of a chunk.</summary>
    public static bool Is(ulong header) => (header & Marks) == Marks;

    /// <summary>The size in bytes of a chunk with so many bytes of the value.</summary>
    public static long SizeFor(long length) => (Prefix + length + 7) & ~7L;

    /// <summary>The size in bytes of a chunk whose prefix is in place.</summary>
    public static long Size(byte* record) => SizeFor(*(uint*)(record + LengthAt));

    /// <summary>Writes all but the value's bytes.</summary>
    /// <param name="record">Where.</param>
    /// <param name="versionBits">A version where it stands in a header; it says nothing of the value.</param>
    /// <param name="length">How many bytes of the value follow.</param>
    /// <param name="next">The chunk behind it in the value.</param>
    /// <param name="hash">The hash of the value's key, which the last chunk has.</param>
    public static void Write(byte* record, ulong versionBits, int length, in ChunkPlace next, ulong hash)
    {
        *(ulong*)(record + NextAt) = next.Length == 0 ? hash : (ulong)next.Address;
        *(int*)(record + LengthAt) = length;
        *(int*)(record + NextLengthAt) = next.Length;
        RecordHeader.Write(record, Marks | versionBits);
    }

    /// <summary>Reads a chunk's prefix.</summary>
    /// <param name="record">A chunk of which the prefix is in place.</param>
    /// <param name="place">Where it is said to be, and how long.</param>
    /// <param name="next">The chunk behind it; its length is 0 behind the last.</param>
    /// <returns>False when no such chunk is there.</returns>
    public static bool TryRead(byte* record, in ChunkPlace place, out ChunkPlace next)
    {
        int nextLength = *(int*)(record + NextLengthAt);
        next = nextLength == 0 ? default : new ChunkPlace(*(long*)(record + NextAt), nextLength);
        return Is(RecordHeader.Read(record)) && *(int*)(record + LengthAt) == place.Length
            && (nextLength == 0 || (nextLength > 0 && next.Address > 0 && next.Address < place.Address));
    }

    /// <summary>Whether a chunk is the last of its value, and so its lowest.</summary>
    /// <param name="record">A chunk of which the prefix is in place.</param>
    /// <param name="hash">The hash of the value's key; 0 when an earlier build wrote it: not known.</param>
    public static bool IsLast(byte* record, out ulong hash)
    {
        hash = *(ulong*)(record + NextAt);
        return *(int*)(record + NextLengthAt) == 0;
    }
}

/// <summary>Where a chunk lies, and how many bytes of the value it has; nothing behind the last one.</summary>
/// <param name="Address">Its address.</param>
/// <param name="Length">The bytes of the value in it.</param>
internal readonly record struct ChunkPlace(long Address, int Length);
