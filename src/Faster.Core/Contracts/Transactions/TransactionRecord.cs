using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>One record of a transaction, as the engine gives it to the transaction's code and takes it back.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public unsafe struct TransactionRecord
{
    private const int InPlace = -1;

    private int _from; // where the new value begins in the buffer

    /// <summary>Describes a record before the transaction runs.</summary>
    /// <param name="value">
    /// The value's bytes, 8-byte aligned. Of a fixed size: a private copy if the transaction may write it, zeroed if
    /// the record is absent. Otherwise bytes that do not change while the transaction runs.
    /// </param>
    /// <param name="length">The number of bytes; 0 if values vary in length and the record is absent.</param>
    /// <param name="exists">Whether there is a record.</param>
    public TransactionRecord(byte* value, int length, bool exists)
    {
        Value = value;
        Length = length;
        Exists = exists;
        _from = InPlace;
    }

    /// <summary>The bytes of the value; of a fixed size, those of the new value, too.</summary>
    public byte* Value { get; }

    /// <summary>The number of bytes of <see cref="Value"/>, then of the new value.</summary>
    public int Length { get; private set; }

    /// <summary>Whether there was a record before the transaction.</summary>
    public bool Exists { get; }

    /// <summary>What the commit does with the record.</summary>
    public RecordChange Change { get; internal set; }

    /// <summary>Whether there is a record as the transaction sees it now.</summary>
    internal readonly bool IsLive => Change == RecordChange.None ? Exists : Change == RecordChange.Set;

    /// <summary>Whether the new value, if there is one, is at <see cref="Value"/>.</summary>
    internal readonly bool IsInPlace => _from == InPlace;

    /// <summary>Returns the value as it is now; once the transaction has run, that which the commit installs.</summary>
    /// <param name="buffer">The buffer to which the transaction's values were written.</param>
    public readonly ReadOnlySpan<byte> Current(ValueBuffer buffer) => _from == InPlace
        ? new ReadOnlySpan<byte>(Value, Length)
        : buffer.Written.Slice(_from, Length);

    /// <summary>Sets the new value to the last bytes of the buffer.</summary>
    internal void Set(int from, int length)
    {
        (_from, Length) = (from, length);
        Change = RecordChange.Set;
    }
}
