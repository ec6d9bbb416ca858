using Faster.Log.Records;

namespace Faster.Log.Large;

/// <summary>
/// One fragment of a large value: a record of the log that belongs to no chain and has no key (docs/formats/record.md).
/// </summary>
/// <remarks>
/// <para>A value's fragments are written last first, so that each can name the next one and a reader moves forward.
/// Each also names the next one's length, so that a reader requests the right number of bytes from the device. The last
/// one has the key's hash instead: before truncation drops it, the hash finds the record, if any, that leads to the
/// value.</para>
/// <para>Its header has the bits large and invalid: walkers skip it like every invalid record, and commits and
/// recoveries neither count nor discard it. No record with a key ever has both bits
/// (<see cref="RecordHeader.Invalidated"/>). It is filled within the epoch in which its space was allocated, and never
/// changes.</para>
/// </remarks>
internal static unsafe class ValueFragment
{
    /// <summary>The number of bytes before those of the value.</summary>
    public const int Prefix = 24;

    private const ulong Marks = RecordHeader.Large | RecordHeader.Invalid;
    private const int NextAt = 8; // the hash in a value's last fragment
    private const int LengthAt = 16;
    private const int NextLengthAt = 20;

    /// <summary>Whether a header belongs to a fragment.</summary>
    public static bool Is(ulong header) => (header & Marks) == Marks;

    /// <summary>The size in bytes of a fragment with a number of bytes of the value.</summary>
    public static long SizeFor(long length) => (Prefix + length + 7) & ~7L;

    /// <summary>The size in bytes of a fragment whose prefix has been written.</summary>
    public static long Size(byte* record) => SizeFor(*(uint*)(record + LengthAt));

    /// <summary>Writes the header and the prefix, not the value's bytes.</summary>
    /// <param name="record">The fragment's memory.</param>
    /// <param name="versionBits">The version bits of the header; they say nothing about the value.</param>
    /// <param name="length">The number of bytes of the value that follow.</param>
    /// <param name="next">The next fragment of the value.</param>
    /// <param name="hash">The hash of the value's key, which only the last fragment holds.</param>
    public static void Write(byte* record, ulong versionBits, int length, in FragmentPlace next, ulong hash)
    {
        *(ulong*)(record + NextAt) = next.Length == 0 ? hash : (ulong)next.Address;
        *(int*)(record + LengthAt) = length;
        *(int*)(record + NextLengthAt) = next.Length;
        RecordHeader.Write(record, Marks | versionBits);
    }

    /// <summary>Reads a fragment's prefix.</summary>
    /// <param name="record">A fragment whose prefix is in memory.</param>
    /// <param name="place">The fragment's expected address and length.</param>
    /// <param name="next">The next fragment; its length is 0 after the last.</param>
    /// <returns>False when the expected fragment is not there.</returns>
    public static bool TryRead(byte* record, in FragmentPlace place, out FragmentPlace next)
    {
        int nextLength = *(int*)(record + NextLengthAt);
        next = nextLength == 0 ? default : new FragmentPlace(*(long*)(record + NextAt), nextLength);
        return Is(RecordHeader.Read(record)) && *(int*)(record + LengthAt) == place.Length
            && (nextLength == 0 || (nextLength > 0 && next.Address > 0 && next.Address < place.Address));
    }

    /// <summary>Whether a fragment is the last of its value, and so its lowest.</summary>
    /// <param name="record">A fragment whose prefix is in memory.</param>
    /// <param name="hash">The hash of the value's key.</param>
    public static bool IsLast(byte* record, out ulong hash)
    {
        hash = *(ulong*)(record + NextAt);
        return *(int*)(record + NextLengthAt) == 0;
    }
}

/// <summary>The place of a fragment in the log; the default value stands for the end of the value.</summary>
/// <param name="Address">Its address.</param>
/// <param name="Length">The number of bytes of the value in it.</param>
internal readonly record struct FragmentPlace(long Address, int Length);
