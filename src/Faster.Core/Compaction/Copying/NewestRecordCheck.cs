using Faster.Log.Records;
using Faster.Operations;

namespace Faster.Compaction.Copying;

/// <summary>Checks whether a record is its key's newest: a conditional insert that links nothing.</summary>
internal readonly struct NewestRecordCheck(long address, NewestRecordCheck.Answer answer) : IConditionalInsert
{
    /// <inheritdoc/>
    public static int ValueSize => 0;

    /// <inheritdoc/>
    public static bool LatchesUpdates => false;

    /// <inheritdoc/>
    public static bool LatchesReads => false;

    /// <inheritdoc/>
    public static bool RunsUserCode => false;

    /// <inheritdoc/>
    public static bool OnlyLooks => true;

    /// <inheritdoc/>
    public bool IsAwaited => false;

    /// <inheritdoc/>
    public long Above => address;

    /// <inheritdoc/>
    public ulong Flags => 0;

    /// <inheritdoc/>
    public long Expiry => RecordExpiry.Never;

    /// <inheritdoc/>
    public ReadOnlySpan<byte> Value => default;

    /// <inheritdoc/>
    public void Capture() { }

    /// <inheritdoc/>
    public void Complete(Status status, Exception? error) =>
        answer.IsNewest = error is null && status == Status.Ok;

    /// <summary>Receives the result when the check completes.</summary>
    public sealed class Answer
    {
        /// <summary>Whether no newer record of the key was found.</summary>
        public bool IsNewest { get; set; }
    }
}
