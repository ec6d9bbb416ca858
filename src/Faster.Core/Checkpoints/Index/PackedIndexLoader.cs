using System.Collections.Concurrent;
using Faster.Checkpoints.Files;
using Faster.Checkpoints.Recovery;
using Faster.Index;
using Faster.Memory;

namespace Faster.Checkpoints.Index;

/// <summary>
/// Loads the content of an index checkpoint, section by section (docs/formats/index-checkpoint.md): one thread reads,
/// others unpack.
/// </summary>
/// <remarks>
/// <para>Invariants, whatever the file holds:</para>
/// <list type="bullet">
/// <item>Nothing is written outside the table and its overflow buckets, of which there are no more than the file
/// fills.</item>
/// <item>When the loading ends, by an exception, too, no thread uses the table.</item>
/// </list>
/// <para>Not thread-safe; nothing else uses the table.</para>
/// </remarks>
/// <param name="file">The file, read up to the number of buckets.</param>
/// <param name="table">An empty table with that number of buckets.</param>
/// <param name="limit">Every address must be below this one.</param>
internal sealed unsafe class PackedIndexLoader(ChecksummedFileReader file, IndexTable table, long limit)
{
    private const int MaxSection = IndexSectionHeader.SizeInBytes + IndexSectionHeader.MaxBytes;
    private const int BatchBytes = 512 << 10; // of sections
    private const int MaxThreads = 4;

    private readonly IndexSectionUnpacker _unpacker = new(table, limit);
    private readonly BlockingCollection<Batch> _idle = [];
    private HashBucket* _next = table.Buckets;

    /// <summary>Loads the chains of all buckets.</summary>
    /// <param name="onProgress">Called from time to time with the number of bytes read.</param>
    public void Load(Action<long>? onProgress)
    {
        using (_idle)
        {
            if (file.Remaining <= BatchBytes) LoadAlone(onProgress);
            else LoadTogether(Math.Clamp(Environment.ProcessorCount / 2, 1, MaxThreads), onProgress);
        }
    }

    private bool IsComplete => _next == table.Buckets + table.BucketCount;

    private void LoadAlone(Action<long>? onProgress)
    {
        using var batch = new Batch((int)file.Remaining);
        while (!IsComplete)
        {
            Read(batch);
            Unpack(batch);
            onProgress?.Invoke(file.Position);
        }
    }

    private void LoadTogether(int count, Action<long>? onProgress)
    {
        Batch[] batches = [.. Enumerable.Range(0, count + 1).Select(static _ => new Batch(BatchBytes))];
        try
        {
            foreach (Batch batch in batches) _idle.Add(batch);
            var threads = new RecoveryThreads<Batch>(count, (_, batch) => Unpack(batch), _idle.Add);
            using (threads)
            {
                while (!IsComplete && !threads.HasFailed)
                {
                    Batch batch = _idle.Take();
                    Read(batch);
                    threads.Add(batch);
                    onProgress?.Invoke(file.Position);
                }
            }

            threads.ThrowIfFailed();
        }
        finally
        {
            foreach (Batch batch in batches) batch.Dispose();
        }
    }

    // Reads whole sections, as long as another one surely fits.
    private void Read(Batch batch)
    {
        (batch.Position, batch.Length) = (file.Position, 0);
        batch.Bucket = _next;
        do
        {
            long position = file.Position;
            var header = file.Read<IndexSectionHeader>();
            long left = table.Buckets + table.BucketCount - _next;
            if (!header.IsSound || header.Chains > left || header.Bytes > file.Remaining)
                throw file.DamagedAt(position, "a section has a header that no index of its commit has");
            byte* at = batch.Buffer + batch.Length;
            *(IndexSectionHeader*)at = header;
            file.Read(at + IndexSectionHeader.SizeInBytes, header.Bytes);
            batch.Length += IndexSectionHeader.SizeInBytes + header.Bytes;
            _next += header.Chains;
        }
        while (!IsComplete && batch.Length <= batch.Size - MaxSection);
    }

    private void Unpack(Batch batch)
    {
        HashBucket* bucket = batch.Bucket;
        for (int at = 0; at < batch.Length;)
        {
            var header = *(IndexSectionHeader*)(batch.Buffer + at);
            at += IndexSectionHeader.SizeInBytes;
            int damaged = _unpacker.Unpack(header, batch.Buffer + at, bucket);
            if (damaged >= 0)
                throw file.DamagedAt(batch.Position + at + damaged, "a chain holds what no index of its commit holds");
            at += header.Bytes;
            bucket += header.Chains;
        }
    }

    /// <summary>Whole sections, one after another. The thread that reads them owns it, then one that unpacks.</summary>
    private sealed class Batch : IDisposable
    {
        private readonly NativeBlock _block;

        public Batch(int bytes)
        {
            Size = bytes;
            _block = new NativeBlock(bytes + IndexSectionUnpacker.ReadsBeyond, hugePages: false);
        }

        public byte* Buffer => _block.Pointer;

        public int Size { get; }

        public int Length { get; set; }

        /// <summary>The position of the first section in the file's content.</summary>
        public long Position { get; set; }

        /// <summary>The bucket with which the first section begins.</summary>
        public HashBucket* Bucket { get; set; }

        public void Dispose() => _block.Dispose();
    }
}
