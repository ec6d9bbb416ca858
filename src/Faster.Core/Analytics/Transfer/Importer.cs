using System.Buffers.Binary;
using Faster.Contracts;

namespace Faster.Analytics.Transfer;

/// <summary>
/// Writes the records of an export into a store of any engine through a session, one verified block at a time.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>No record of a block is written before the whole block has been checked.</item>
/// <item>All operations of a block have ended before the next one is read.</item>
/// </list>
/// <para>Not thread-safe; blocks a thread while the log has no space.</para>
/// </remarks>
internal sealed class Importer<TSession, TLayout>(
    TSession session, RecordSchema schema, ExportReader reader, IProgress<TransferProgress>? progress)
    where TSession : class, IEngineSession
    where TLayout : struct, IValueLayout
{
    /// <summary>
    /// Sets when the next records expire, in Unix milliseconds; null for what the store's options say. Without it, an
    /// export with records that expire is refused.
    /// </summary>
    public Action<long?>? SetExpiry { get; init; }

    /// <summary>Waits until all operations of the session have ended.</summary>
    public Func<ValueTask> EndBlockAsync { get; init; } = static () => ValueTask.CompletedTask;

    /// <summary>Runs the import.</summary>
    /// <returns>The number of records written.</returns>
    public async Task<long> RunAsync(CancellationToken ct)
    {
        await reader.BeginAsync(schema, ct).ConfigureAwait(false);
        for (;;)
        {
            ct.ThrowIfCancellationRequested();
            ReadOnlyMemory<byte> block = await reader.NextAsync(ct).ConfigureAwait(false);
            if (block.IsEmpty) return reader.Records;
            Go(block, writes: false);
            Go(block, writes: true);
            await EndBlockAsync().ConfigureAwait(false);
            progress?.Report(new TransferProgress(reader.Records, reader.Bytes));
        }
    }

    private void Go(ReadOnlyMemory<byte> block, bool writes)
    {
        int at = 0;
        for (int i = 0; i < reader.RecordsOfBlock; i++)
        {
            byte flags = Take(block, ref at, 1).Span[0];
            if (flags > ExportFormat.Expiring) throw Damaged($"a record has the unknown flags 0x{flags:x2}");
            ReadOnlyMemory<byte> key = TakeSized(block, ref at, schema.KeySize);
            bool isDeleted = flags == ExportFormat.Deleted;
            long? expiry = flags == ExportFormat.Expiring
                ? BinaryPrimitives.ReadInt64LittleEndian(Take(block, ref at, sizeof(long)).Span)
                : null;
            if (expiry is not null && SetExpiry is null) throw Expires();
            ReadOnlyMemory<byte> value = isDeleted ? default : TakeSized(block, ref at, schema.ValueSize);
            if (writes) Write(key.Span, value, expiry, isDeleted);
        }

        if (at != block.Length) throw Damaged("a block is longer than its records");
    }

    // The status does not matter: it says whether the key existed, or the operation is pending, for which the end of
    // the block waits.
    private void Write(ReadOnlySpan<byte> bytes, ReadOnlyMemory<byte> value, long? expiry, bool isDeleted)
    {
        var key = new ImportedKey(bytes, schema.KeySlotSize);
        if (isDeleted)
        {
            var deletion = default(ImportedDelete<TLayout>);
            _ = session.Delete(key, ref deletion);
            return;
        }

        SetExpiry?.Invoke(expiry);
        var upsert = new ImportedUpsert<TLayout>(value);
        _ = session.Upsert(key, ref upsert);
    }

    private ReadOnlyMemory<byte> TakeSized(ReadOnlyMemory<byte> block, ref int at, int fixedSize)
    {
        if (fixedSize != 0) return Take(block, ref at, fixedSize);
        int length = BinaryPrimitives.ReadInt32LittleEndian(Take(block, ref at, sizeof(int)).Span);
        return Take(block, ref at, length);
    }

    private ReadOnlyMemory<byte> Take(ReadOnlyMemory<byte> block, ref int at, int length)
    {
        if (length < 0 || length > block.Length - at) throw Damaged($"a record is longer than its block: {length}");
        at += length;
        return block.Slice(at - length, length);
    }

    private static NotSupportedException Expires() => new(
        "The export has records that expire, and the engine of this store has no expiry. Import it into a store of the "
        + "engine FASTER, or export records without a time to live.");

    private DamagedDataException Damaged(string what) => reader.Damaged(reader.Bytes, what);
}
