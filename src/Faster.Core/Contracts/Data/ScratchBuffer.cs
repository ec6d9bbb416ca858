namespace Faster.Contracts;

/// <summary>
/// A buffer lent by the current thread for the time of a call, for keys and values on their way to bytes.
/// </summary>
/// <remarks>
/// Each thread keeps a few buffers, so nested leases (a key and a value, and a user function's result) do not meet.
/// Buffers that grew beyond 1 MiB are left to the garbage collector.
/// </remarks>
public readonly ref struct ScratchBuffer
{
    private const int Kept = 4, LargestKept = 1 << 20;

    [ThreadStatic] private static ValueBuffer?[]? _buffers;

    private ScratchBuffer(ValueBuffer buffer) => Buffer = buffer;

    /// <summary>The lent buffer, empty at first.</summary>
    public ValueBuffer Buffer { get; }

    /// <summary>Borrows a buffer; dispose of the lease on the same thread.</summary>
    public static ScratchBuffer Rent()
    {
        ValueBuffer?[] buffers = _buffers ??= new ValueBuffer?[Kept];
        for (int i = 0; i < Kept; i++)
        {
            if (buffers[i] is not { } buffer) continue;
            buffers[i] = null;
            buffer.Clear();
            return new ScratchBuffer(buffer);
        }

        return new ScratchBuffer(new ValueBuffer());
    }

    /// <summary>Gives the buffer back.</summary>
    public void Dispose()
    {
        if (Buffer is null || Buffer.Capacity > LargestKept) return;
        ValueBuffer?[] buffers = _buffers ??= new ValueBuffer?[Kept];
        for (int i = 0; i < Kept; i++)
        {
            if (buffers[i] is not null) continue;
            buffers[i] = Buffer;
            return;
        }
    }
}
