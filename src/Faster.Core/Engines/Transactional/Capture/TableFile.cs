using Faster.Analytics.Scans;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.LogCommits;

namespace Faster.Engines.Transactional.Capture;

/// <summary>
/// Writes and reads the file with all records of a version: sections of copies of records, each after its length, and
/// an empty one at the end (docs/formats/table.md).
/// </summary>
internal static class TableFile
{
    /// <summary>The part of commit records that names the file.</summary>
    public const string PartName = "table";

    /// <summary>The fewest bytes that a record takes in the file.</summary>
    public static int LeastBytes(RecordSchema schema) => Math.Max(
        (schema.KeySize == 0 ? sizeof(int) : schema.KeySize) + (schema.ValueSize == 0 ? sizeof(int) : schema.ValueSize),
        1);

    /// <summary>Begins the file of a version.</summary>
    /// <exception cref="StorageException">It can't be created.</exception>
    public static ChecksummedFileWriter Create(CommitFolder folder, long version) => new(
        folder.Files, StoreFileNames.Table(version), ChecksummedFileKind.Table, folder.Identity);

    /// <summary>Writes a section, unless there is nothing in it.</summary>
    /// <exception cref="StorageException">A write has failed.</exception>
    public static void Write(ChecksummedFileWriter file, RecordCopies copies)
    {
        if (copies.Bytes == 0) return;
        WriteLength(file, copies.Bytes);
        file.Write(copies.Written);
    }

    /// <summary>Ends a file, and makes its content durable.</summary>
    /// <returns>What a commit names it by.</returns>
    /// <exception cref="StorageException">A write or the sync has failed.</exception>
    public static FileReference Complete(ChecksummedFileWriter file, long version)
    {
        WriteLength(file, 0);
        return new FileReference(StoreFileNames.Table(version), file.Identity, file.Complete());
    }

    /// <summary>Opens the file that a commit names.</summary>
    /// <exception cref="DamagedDataException">It is missing, or is not the one that is named.</exception>
    /// <exception cref="StorageException">It can't be read.</exception>
    public static ChecksummedFileReader Open(CommitFolder folder, FileReference file) => new(
        folder.Files, file.FileName, ChecksummedFileKind.Table, folder.Identity, file.Identity, file.Bytes);

    /// <summary>Reads the next section.</summary>
    /// <returns>False at the end.</returns>
    /// <exception cref="DamagedDataException">The file is damaged.</exception>
    public static bool TryRead(ChecksummedFileReader file, RecordCopies copies)
    {
        int length = file.Read<int>();
        if (length == 0)
        {
            file.ReadToEnd();
            return false;
        }

        if (length < 0 || length > file.Remaining) throw file.Damaged("the length of a section is wrong");
        file.Read(copies.Refill(length));
        return true;
    }

    private static unsafe void WriteLength(ChecksummedFileWriter file, int length) =>
        file.Write((byte*)&length, sizeof(int));
}
