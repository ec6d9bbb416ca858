using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using Faster.Checkpoints;
using Faster.Contracts;

namespace Faster.Analytics;

/// <summary>Reads the stream of an export a block at a time, and gives nothing that has not been verified.</summary>
/// <remarks>
/// Invariant: whatever the bytes are, a read gives what was written or a <see cref="DamagedDataException"/> with its
/// place; memory is taken only for lengths that a checksum covers. Not thread-safe.
/// </remarks>
/// <param name="pipe">The stream.</param>
/// <param name="place">Where it is from, for messages.</param>
internal sealed class ExportReader(PipeReader pipe, string place)
{
    private byte[] _bytes = new byte[ExportFormat.BlockTarget * 2];
    private StreamChecksum _checksum = new();

    /// <summary>The bytes read so far.</summary>
    public long Bytes { get; private set; }

    /// <summary>The records of the blocks read so far.</summary>
    public long Records { get; private set; }

    /// <summary>How many records the last block has.</summary>
    public int RecordsOfBlock { get; private set; }

    /// <summary>Reads the head.</summary>
    /// <exception cref="DamagedDataException">It can't be trusted, or is of other records.</exception>
    public async ValueTask BeginAsync(RecordSchema schema, CancellationToken ct)
    {
        await ReadAsync(0, ExportFormat.HeadStart, ct).ConfigureAwait(false);
        int length = ExportFormat.HeadLength(place, _bytes);
        await ReadAsync(ExportFormat.HeadStart, length - ExportFormat.HeadStart, ct).ConfigureAwait(false);
        ExportFormat.CheckHead(place, _bytes[..length], schema);
        _checksum.Add(_bytes.AsSpan(0, length));
    }

    /// <summary>Reads the next block.</summary>
    /// <returns>Its records, valid until the next read; empty at the end of the stream.</returns>
    /// <exception cref="DamagedDataException">It is not what was written.</exception>
    public async ValueTask<ReadOnlyMemory<byte>> NextAsync(CancellationToken ct)
    {
        int head = ExportFormat.BlockHead - ExportFormat.CheckBytes;
        await ReadCheckedAsync(head, "the head of a block", ct).ConfigureAwait(false);
        uint length = BinaryPrimitives.ReadUInt32LittleEndian(_bytes);
        uint records = BinaryPrimitives.ReadUInt32LittleEndian(_bytes.AsSpan(sizeof(uint)));
        if (length > ExportFormat.MostBlock || records > length || (records == 0) != (length == 0))
            throw Damaged(Bytes - ExportFormat.BlockHead, $"a block of {length} bytes and {records} records");
        if (length == 0)
        {
            await ReadCheckedAsync(sizeof(long), "its end", ct).ConfigureAwait(false);
            long count = BinaryPrimitives.ReadInt64LittleEndian(_bytes);
            if (count != Records) throw Damaged(Bytes - ExportFormat.EndBytes, $"it should have {count} records");
            return default;
        }

        await ReadCheckedAsync((int)length, "a block", ct).ConfigureAwait(false);
        RecordsOfBlock = (int)records;
        Records += records;
        return _bytes.AsMemory(0, (int)length);
    }

    /// <summary>Refuses bytes behind the end.</summary>
    /// <exception cref="DamagedDataException">There are some.</exception>
    public async ValueTask EndAsync(CancellationToken ct)
    {
        System.IO.Pipelines.ReadResult rest = await pipe.ReadAsync(ct).ConfigureAwait(false);
        bool isEmpty = rest.Buffer.IsEmpty;
        pipe.AdvanceTo(rest.Buffer.End);
        if (!isEmpty) throw Damaged(Bytes, "something follows its end");
    }

    /// <summary>The error for a stream that is not what was written.</summary>
    public DamagedDataException Damaged(long offset, string what) => MetadataKind.Export.Damaged(
        place, offset, $"{what}. {Records - RecordsOfBlock:N0} records before were verified");

    private async ValueTask ReadCheckedAsync(int length, string what, CancellationToken ct)
    {
        await ReadAsync(0, length + ExportFormat.CheckBytes, ct).ConfigureAwait(false);
        _checksum.Add(_bytes.AsSpan(0, length));
        if (BinaryPrimitives.ReadUInt32LittleEndian(_bytes.AsSpan(length)) == _checksum.Value) return;
        throw Damaged(Bytes - length - ExportFormat.CheckBytes, $"the checksum of {what} is wrong");
    }

    private async ValueTask ReadAsync(int at, int length, CancellationToken ct)
    {
        System.IO.Pipelines.ReadResult read = await pipe.ReadAtLeastAsync(length, ct).ConfigureAwait(false);
        ReadOnlySequence<byte> bytes = read.Buffer;
        if (read.IsCanceled)
        {
            pipe.AdvanceTo(bytes.Start); // its owner may read on
            throw new OperationCanceledException("The reading of the export was cancelled.");
        }

        if (bytes.Length < length)
        {
            pipe.AdvanceTo(bytes.End);
            throw Damaged(Bytes + bytes.Length, "it ends too early");
        }

        if (_bytes.Length < at + length) Array.Resize(ref _bytes, at + length);
        bytes = bytes.Slice(0, length);
        bytes.CopyTo(_bytes.AsSpan(at));
        pipe.AdvanceTo(bytes.End);
        Bytes += length;
    }
}
