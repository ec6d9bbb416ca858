using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using Faster.Checkpoints.Files;
using Faster.Contracts;

namespace Faster.Analytics.Transfer;

/// <summary>Reads the stream of an export block by block, and returns only verified data.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Whatever the bytes are, a read either returns what was written or throws a
/// <see cref="DamagedDataException"/> with the position.</item>
/// <item>Memory is allocated only for lengths that a checksum covers.</item>
/// </list>
/// <para>Not thread-safe.</para>
/// </remarks>
/// <param name="pipe">The bytes of the stream.</param>
/// <param name="place">The name of the stream, for messages.</param>
internal sealed class ExportReader(PipeReader pipe, string place)
{
    private byte[] _bytes = new byte[ExportFormat.BlockTarget * 2];
    private StreamChecksum _checksum = new();

    /// <summary>The number of bytes read so far.</summary>
    public long Bytes { get; private set; }

    /// <summary>The number of records in the blocks read so far.</summary>
    public long Records { get; private set; }

    /// <summary>The number of records in the last block.</summary>
    public int RecordsOfBlock { get; private set; }

    /// <summary>Reads an export from a stream, which must end with it and stays open.</summary>
    /// <param name="source">The stream.</param>
    /// <param name="import">Reads the export.</param>
    /// <param name="ct">Cancels the reads.</param>
    /// <returns>What <paramref name="import"/> returns.</returns>
    public static async Task<long> ReadAsync(
        Stream source, Func<ExportReader, Task<long>> import, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(source);
        PipeReader pipe = PipeReader.Create(source, new StreamPipeReaderOptions(leaveOpen: true));
        try
        {
            var reader = new ExportReader(pipe, source is FileStream file ? file.Name : "a stream");
            long records = await import(reader).ConfigureAwait(false);
            await reader.EndAsync(ct).ConfigureAwait(false);
            return records;
        }
        finally
        {
            await pipe.CompleteAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Reads and checks the head.</summary>
    /// <exception cref="DamagedDataException">The head is damaged, or is of other records.</exception>
    public async ValueTask BeginAsync(RecordSchema schema, CancellationToken ct)
    {
        await ReadAsync(0, ExportFormat.HeadStart, ct).ConfigureAwait(false);
        int length = ExportFormat.HeadLength(place, _bytes);
        await ReadAsync(ExportFormat.HeadStart, length - ExportFormat.HeadStart, ct).ConfigureAwait(false);
        ExportFormat.CheckHead(place, _bytes[..length], schema);
        _checksum.Add(_bytes.AsSpan(0, length));
    }

    /// <summary>Reads the next block.</summary>
    /// <returns>The block's records, valid until the next read; empty at the end of the stream.</returns>
    /// <exception cref="DamagedDataException">The block is not what was written.</exception>
    public async ValueTask<ReadOnlyMemory<byte>> NextAsync(CancellationToken ct)
    {
        int head = ExportFormat.BlockHead - ExportFormat.CheckBytes;
        await ReadCheckedAsync(head, "the head of a block", ct).ConfigureAwait(false);
        uint length = BinaryPrimitives.ReadUInt32LittleEndian(_bytes);
        uint records = BinaryPrimitives.ReadUInt32LittleEndian(_bytes.AsSpan(sizeof(uint)));
        if (length > ExportFormat.MaxBlock || records > length || (records == 0) != (length == 0))
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

    /// <summary>Rejects bytes after the end of the stream.</summary>
    /// <exception cref="DamagedDataException">There are more bytes.</exception>
    public async ValueTask EndAsync(CancellationToken ct)
    {
        System.IO.Pipelines.ReadResult rest = await pipe.ReadAsync(ct).ConfigureAwait(false);
        bool isEmpty = rest.Buffer.IsEmpty;
        pipe.AdvanceTo(rest.Buffer.End);
        if (!isEmpty) throw Damaged(Bytes, "data follows its end");
    }

    /// <summary>Creates the exception for a stream that is not what was written.</summary>
    public DamagedDataException Damaged(long offset, string what) => MetadataKind.Export.Damaged(
        place, offset, $"{what}. {Records - RecordsOfBlock:N0} records before it were verified");

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
            pipe.AdvanceTo(bytes.Start); // its owner may continue to read
            throw new OperationCanceledException("Reading the export was canceled.");
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
