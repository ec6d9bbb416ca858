using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Contracts;

namespace Faster.Log.Records;

/// <summary>
/// Copies of values, one after another, for updates that are published in a log before they are seen.
/// </summary>
/// <remarks>Not thread-safe: it belongs to a session.</remarks>
internal sealed unsafe class ValueScratch
{
    private const int MostKept = 4 << 10;

    private byte[] _bytes = [];

    /// <summary>The memory that it has taken.</summary>
    public int Bytes => _bytes.Length;

    /// <summary>Copies a value with its slot. Valid until the next copy.</summary>
    /// <param name="value">The value's slot in its record, which does not change meanwhile.</param>
    /// <param name="valueSize">The size of every value, or 0.</param>
    /// <returns>The address of the copy.</returns>
    public byte* Copy(byte* value, int valueSize)
    {
        int slot = valueSize != 0
            ? RecordLayout.AlignUp(valueSize)
            : ValueLayout.Prefix + ValueLayout.Capacity(value);
        if (_bytes.Length < slot) _bytes = GC.AllocateUninitializedArray<byte>(slot, pinned: true);
        new ReadOnlySpan<byte>(value, slot).CopyTo(_bytes);
        return (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_bytes));
    }

    /// <summary>Releases memory that a large value has taken.</summary>
    public void Trim()
    {
        if (_bytes.Length > MostKept) _bytes = [];
    }
}
