using System.Buffers;
using Faster.Contracts;

namespace Faster.Operations.Large;

/// <summary>The upsert of a sequence, always into a new record. It calls no user function.</summary>
/// <param name="value">The sequence.</param>
/// <param name="stays">Whether the sequence does not change until the operation is complete.</param>
internal struct SequenceUpsert(ReadOnlySequence<byte> value, bool stays) : IUpsertOperation
{
    private ReadOnlySequence<byte> _value = value;

    /// <inheritdoc/>
    public static int ValueSize => 0;

    /// <inheritdoc/>
    public static bool LatchesUpdates => true;

    /// <inheritdoc/>
    public static bool LatchesReads => true;

    /// <inheritdoc/>
    public readonly bool IsAwaited => true;

    /// <inheritdoc/>
    public readonly int Length => (int)Math.Min(_value.Length, int.MaxValue);

    /// <summary>What the caller awaits, when the operation is pending; otherwise null.</summary>
    public AwaitableResult<Status>? Pending { get; private set; }

    /// <inheritdoc/>
    public readonly void SingleWrite(Span<byte> value) => _value.CopyTo(value);

    /// <inheritdoc/>
    /// <remarks>A store whose users bring their own atomics may read the old value at the same time.</remarks>
    public readonly bool ConcurrentWrite(ref ValueSlot value) => false;

    /// <inheritdoc/>
    public void Capture()
    {
        if (!stays) _value = new ReadOnlySequence<byte>(_value.ToArray());
        Pending = AwaitableResult<Status>.Rent();
    }

    /// <inheritdoc/>
    public readonly void Complete(Status status, Exception? error) => Pending?.Complete(status, error);
}
