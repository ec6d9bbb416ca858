using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.Operations.Merging;

namespace Faster.Analytics.Transfer;

/// <summary>Writes records as the stream of an export, block by block, no faster than the stream is read.</summary>
/// <remarks>Not thread-safe. Uses the memory of one block.</remarks>
internal sealed class ExportWriter(PipeWriter pipe, RecordSchema schema)
{
    private readonly ValueBuffer _block = new();
    private StreamChecksum _checksum = new();
    private uint _recordsOfBlock;

    /// <summary>The number of records written so far.</summary>
    public long Records { get; private set; }

    /// <summary>The number of bytes written so far.</summary>
    public long Bytes { get; private set; }

    /// <summary>Whether the current block is full and should be flushed.</summary>
    public bool IsBlockFull => _block.Written.Length >= ExportFormat.BlockTarget;

    /// <summary>Writes the head.</summary>
    public void Begin() => Write(ExportFormat.Head(schema), isChecked: true);

    /// <summary>Appends a record.</summary>
    /// <returns>The record's address.</returns>
    /// <exception cref="LimitExceededException">The record is larger than a block can be.</exception>
    /// <exception cref="FasterException">The record is a delta.</exception>
    public long Add(RecordView record)
    {
        if (record.IsDelta) throw DeltaValues.NotExported(record.Address);
        MakeSpace(record);
        bool expires = !record.IsTombstone && record.Expiry != RecordExpiry.Never;
        _block.GetSpan(1)[0] = record.IsTombstone ? ExportFormat.Deleted : expires ? ExportFormat.Expiring : (byte)0;
        _block.Advance(1);
        Append(record.Key, schema.KeySize);
        if (expires)
        {
            BinaryPrimitives.WriteInt64LittleEndian(_block.GetSpan(sizeof(long)), record.Expiry);
            _block.Advance(sizeof(long));
        }

        if (!record.IsTombstone) Append(record.Value, schema.ValueSize);
        _recordsOfBlock++;
        Records++;
        return record.Address;
    }

    /// <summary>Ends the block, and waits until the reader has consumed enough.</summary>
    /// <returns>False if the reader has completed and accepts no more.</returns>
    /// <exception cref="OperationCanceledException">The flush was canceled, so the export is incomplete.</exception>
    public async ValueTask<bool> FlushAsync(CancellationToken ct)
    {
        EndBlock();
        FlushResult result = await pipe.FlushAsync(ct).ConfigureAwait(false);
        if (result.IsCanceled) throw new OperationCanceledException("The flush of the export was canceled.");
        return !result.IsCompleted;
    }

    /// <summary>Ends the stream.</summary>
    public async ValueTask EndAsync(CancellationToken ct)
    {
        EndBlock();
        WriteBlockHead(0, 0);
        Span<byte> count = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(count, Records);
        Write(count, isChecked: true);
        WriteCheck();
        await pipe.FlushAsync(ct).ConfigureAwait(false);
    }

    // Imports reject larger blocks, so such a record is rejected here, where the value still exists.
    private void MakeSpace(in RecordView record)
    {
        const int BesideKeyAndValue = 1 + sizeof(int) + sizeof(long) + sizeof(int);
        long size = BesideKeyAndValue + (long)record.Key.Length + record.Value.Length;
        if (size > ExportFormat.MaxBlock)
        {
            throw new LimitExceededException(
                $"The record at address {record.Address:N0} of the log, with a value of {record.Value.Length:N0} bytes,"
                + $" can't be exported: a record of an export has {ExportFormat.MaxBlock:N0} bytes at most. Copy such "
                + "values individually: read them into a writer, and upsert them as sequences.");
        }

        if (_block.Written.Length + size > ExportFormat.MaxBlock) EndBlock();
    }

    private void Append(ReadOnlySpan<byte> bytes, int fixedSize)
    {
        if (fixedSize == 0)
        {
            BinaryPrimitives.WriteInt32LittleEndian(_block.GetSpan(sizeof(int)), bytes.Length);
            _block.Advance(sizeof(int));
        }

        _block.Write(bytes);
    }

    private void EndBlock()
    {
        ReadOnlySpan<byte> block = _block.Written;
        if (block.IsEmpty) return;
        WriteBlockHead((uint)block.Length, _recordsOfBlock);
        Write(block, isChecked: true);
        WriteCheck();
        _block.Clear();
        _recordsOfBlock = 0;
    }

    private void WriteBlockHead(uint length, uint records)
    {
        Span<byte> head = stackalloc byte[ExportFormat.BlockHead - ExportFormat.CheckBytes];
        BinaryPrimitives.WriteUInt32LittleEndian(head, length);
        BinaryPrimitives.WriteUInt32LittleEndian(head[sizeof(uint)..], records);
        Write(head, isChecked: true);
        WriteCheck();
    }

    // Checksums are not part of later checksums: a checksum over bytes and their own checksum does not depend on the
    // bytes.
    private void WriteCheck()
    {
        Span<byte> check = stackalloc byte[ExportFormat.CheckBytes];
        BinaryPrimitives.WriteUInt32LittleEndian(check, _checksum.Value);
        Write(check, isChecked: false);
    }

    private void Write(ReadOnlySpan<byte> bytes, bool isChecked)
    {
        if (isChecked) _checksum.Add(bytes);
        pipe.Write(bytes);
        Bytes += bytes.Length;
    }
}
