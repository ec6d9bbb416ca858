using System.Runtime.InteropServices;
using Faster.Contracts;

namespace Faster.Workload.Engines;

/// <summary>The read of a word, as a generated store has it.</summary>
internal struct WordRead : IReadOperation
{
    /// <summary>What was read.</summary>
    public long Value;

    /// <inheritdoc/>
    public static int ValueSize => sizeof(long);

    /// <inheritdoc/>
    public static bool LatchesUpdates => false;

    /// <inheritdoc/>
    public static bool LatchesReads => false;

    /// <inheritdoc/>
    public static bool RunsUserCode => false;

    /// <inheritdoc/>
    public readonly bool IsAwaited => false;

    /// <inheritdoc/>
    public readonly void Capture()
    {
    }

    /// <inheritdoc/>
    public void SingleRead(ReadOnlySpan<byte> value) => Value = MemoryMarshal.Read<long>(value);

    /// <inheritdoc/>
    public void ConcurrentRead(ReadOnlySpan<byte> value) =>
        Value = AtomicValue.Load(ref MemoryMarshal.GetReference(MemoryMarshal.Cast<byte, long>(value)));

    /// <inheritdoc/>
    public readonly void Complete(Status status, Exception? error)
    {
    }
}
