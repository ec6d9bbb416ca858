using System.Runtime.InteropServices;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Index;

namespace Faster.Tests.Checkpoints.Index;

/// <summary>Writes checkpoints of the index as format version 1 has them: whole buckets.</summary>
internal static unsafe class PlainIndexFile
{
    public static ChecksummedFileKind Kind => ChecksummedFileKind.Index with { Version = 1 };

    /// <summary>Writes an index that does not change meanwhile.</summary>
    public static IndexReference Write(FolderFiles files, string name, ulong store, HashIndex index)
    {
        using var writer = new ChecksummedFileWriter(files, name, Kind, store);
        long count = index.BucketCount;
        writer.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<long>(ref count)));
        for (long i = 0; i < count; i++)
        {
            HashBucket* first = index.State.Table.Buckets + i;
            ulong following = 0;
            for (HashBucket* next = HashBucket.Next(first); next != null; next = HashBucket.Next(next)) following++;
            for (HashBucket* bucket = first; bucket != null; bucket = HashBucket.Next(bucket))
            {
                HashBucket written = *bucket;
                written.Overflow = bucket == first ? (first->Overflow & HashBucket.SharedTags) | following : 0;
                writer.Write((byte*)&written, sizeof(HashBucket));
            }
        }

        return new IndexReference(name, writer.Identity, writer.Complete(), 1000, 1001);
    }
}
