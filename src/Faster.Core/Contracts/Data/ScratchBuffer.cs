using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A buffer rented from the current thread for the duration of a call, for encoding keys and values.</summary>
/// <remarks>
/// Each thread keeps four buffers, so nested leases (a key, a value, and a user function's result) get different ones.
/// Buffers that have grown beyond 1 MiB are left to the garbage collector.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct ScratchBuffer
{
    private const int Kept = 4, LargestKept = 1 << 20;

    [ThreadStatic] private static ValueBuffer?[]? _buffers;

    private ScratchBuffer(ValueBuffer buffer) => Buffer = buffer;

    /// <summary>The rented buffer, initially empty.</summary>
    public ValueBuffer Buffer { get; }

    /// <summary>Rents a buffer. Dispose the lease on the same thread.</summary>
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

    /// <summary>Returns the buffer to the current thread.</summary>
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
