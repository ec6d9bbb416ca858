using System.Runtime.InteropServices;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Devices.Folders;

namespace Faster.HashChunks;

/// <summary>
/// The directory of hash chunks in a file, which a commit names beside the log of chunks
/// (docs/formats/chunk-directory.md).
/// </summary>
/// <remarks>
/// Each address is read and written as one word, so compaction of the log of chunks may go on meanwhile: a chunk that
/// it has moved has the same entries in both places. No state; one thread at a time.
/// </remarks>
internal static class DirectoryFile
{
    private const int Batch = 512; // on the stack

    /// <summary>
    /// Writes the directory. Meanwhile no chunk changes; one may be moved, and then either place is right.
    /// </summary>
    /// <param name="files">The store's files.</param>
    /// <param name="name">The name of the file.</param>
    /// <param name="storeIdentity">The store's identity.</param>
    /// <param name="directory">The directory.</param>
    /// <returns>The file, whose content is durable but whose name is not.</returns>
    /// <exception cref="StorageException">The file can't be written or synced.</exception>
    public static FileReference Write(
        StoreFiles files, string name, ulong storeIdentity, ChunkDirectory directory)
    {
        using var file = new ChecksummedFileWriter(files, name, ChecksummedFileKind.Directory, storeIdentity);
        long count = directory.ChunkCount;
        file.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<long>(in count)));
        Span<long> batch = stackalloc long[Batch];
        for (long chunk = 0; chunk < count; chunk += Batch)
        {
            Span<long> some = batch[..(int)Math.Min(Batch, count - chunk)];
            for (int i = 0; i < some.Length; i++) some[i] = directory.AddressOf(chunk + i);
            file.Write(MemoryMarshal.AsBytes(some));
        }

        return new FileReference(name, file.Identity, file.Complete());
    }

    /// <summary>Reads the directory of a commit into an empty one, before other threads use it.</summary>
    /// <param name="files">The store's files.</param>
    /// <param name="reference">The commit's reference to the file.</param>
    /// <param name="storeIdentity">The store's identity.</param>
    /// <param name="directory">The directory.</param>
    /// <param name="log">What the commit has of the log of chunks, in which all addresses lie.</param>
    /// <exception cref="DamagedDataException">The file can't be trusted.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public static void Read(
        StoreFiles files, FileReference reference, ulong storeIdentity, ChunkDirectory directory,
        CommittedLog log)
    {
        using var file = new ChecksummedFileReader(
            files, reference.FileName, ChecksummedFileKind.Directory, storeIdentity, reference.Identity,
            reference.Bytes);
        long count = file.Read<long>();
        if (count != directory.ChunkCount)
            throw file.Damaged($"it has {count} chunks, but the store has {directory.ChunkCount}");
        Span<long> batch = stackalloc long[Batch];
        for (long chunk = 0; chunk < count; chunk += Batch)
        {
            Span<long> some = batch[..(int)Math.Min(Batch, count - chunk)];
            long position = file.Position;
            file.Read(MemoryMarshal.AsBytes(some));
            for (int i = 0; i < some.Length; i++)
            {
                long address = some[i];
                bool isSound = address == 0
                    || (address >= log.BeginAddress && address < log.EndAddress && address % sizeof(long) == 0);
                if (!isSound)
                {
                    throw file.DamagedAt(
                        position + (i * sizeof(long)),
                        $"chunk {chunk + i} lies at {address}, outside the log from {log.BeginAddress} to "
                        + $"{log.EndAddress}");
                }

                directory.Restore(chunk + i, address);
            }
        }

        file.ReadToEnd();
    }
}
