using System.Runtime.InteropServices;
using Faster.Contracts;

namespace Faster.Workload.Engines;

/// <summary>The write of a word, as a generated store has it.</summary>
internal readonly struct WordWrite(long value) : IUpsertOperation
{
    /// <inheritdoc/>
    public static int ValueSize => sizeof(long);

    /// <inheritdoc/>
    public static bool LatchesUpdates => false;

    /// <inheritdoc/>
    public static bool LatchesReads => false;

    /// <inheritdoc/>
    public static bool RunsUserCode => false;

    /// <inheritdoc/>
    public bool IsAwaited => false;

    /// <inheritdoc/>
    public int Length => sizeof(long);

    /// <inheritdoc/>
    public void Capture()
    {
    }

    /// <inheritdoc/>
    public void SingleWrite(Span<byte> destination) => MemoryMarshal.Write(destination, value);

    /// <inheritdoc/>
    public bool ConcurrentWrite(ref ValueSlot slot)
    {
        AtomicValue.Store(ref slot.As<long>(), value);
        return true;
    }

    /// <inheritdoc/>
    public void Complete(Status status, Exception? error)
    {
    }
}
