using System.Security.Cryptography;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.OperationLogs;
using Faster.Opening;
using Faster.Persistence;

namespace Faster.LogCommits;

/// <summary>
/// The file that a store's operation logs lie in, which its commits name (docs/formats/operation-log.md).
/// </summary>
/// <remarks>
/// A new file is part of the store only when a commit names it, so it is made, and a commit with it, before anything is
/// acknowledged. Thread-safe as the logs are.
/// </remarks>
internal sealed class OperationLogFile : IDisposable
{
    /// <summary>The name of the part of a commit.</summary>
    public const string PartName = "operations";

    private readonly FileReference _file;

    private OperationLogFile(LogSet logs, FileReference file) => (Logs, _file) = (logs, file);

    /// <summary>What lies in the file.</summary>
    public LogSet Logs { get; }

    /// <summary>The file's name.</summary>
    public string Name => _file.FileName;

    /// <summary>Makes a file of empty logs.</summary>
    /// <param name="files">The folder.</param>
    /// <param name="version">The version for which it is made.</param>
    /// <param name="shape">How many logs of which size.</param>
    /// <param name="unbuffered">Whether to bypass the system's cache.</param>
    /// <exception cref="StorageException">There is no space, or the disk fails.</exception>
    public static OperationLogFile Create(
        StoreFiles files, long version, OperationLogShape shape, bool unbuffered)
    {
        string log = StoreFileNames.OperationLogs(version);
        ulong identity = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong)));
        var file = new FileReference(StoreFileNames.Segment(log, 0), identity, shape.Bytes);
        Device device = files.OpenLog(log, shape.Bytes, unbuffered);
        return With(device, () =>
        {
            var region = DeviceRegion.Create(device, shape.Bytes, verify: files.ThrowIfLost);
            return new OperationLogFile(LogSet.Create(new PersistenceDomain(region), shape.Count, identity), file);
        });
    }

    /// <summary>
    /// Opens the file that a commit names, and reads the logs from its marks on; what is read is durable then.
    /// </summary>
    /// <param name="files">The folder.</param>
    /// <param name="part">The commit's part.</param>
    /// <param name="unbuffered">Whether to bypass the system's cache.</param>
    /// <param name="visitor">Is shown each record.</param>
    /// <exception cref="DamagedDataException">The file is cut, or acknowledged bytes are damaged.</exception>
    /// <exception cref="StorageException">The disk fails.</exception>
    public static OperationLogFile Open(
        StoreFiles files, CommittedPart part, bool unbuffered, ILogVisitor visitor)
    {
        FileReference file = part.File!;
        using (StoreFile whole = files.Open(file.FileName)) whole.Sync(); // its writer may have died before its own
        string log = file.FileName[..^(StoreFileNames.Segment("", 0).Length)];
        Device device = files.OpenLog(log, file.Bytes, unbuffered);
        return With(device, () =>
        {
            var region = DeviceRegion.Open(device, file.Bytes, verify: files.ThrowIfLost);
            var domain = new PersistenceDomain(region);
            return new OperationLogFile(LogSet.Open(domain, file.Identity, [.. part.Marks], visitor), file);
        });
    }

    /// <summary>Whether the file has the logs that the options ask for.</summary>
    public bool Has(OperationLogShape shape) => Logs.Count == shape.Count && _file.Bytes == shape.Bytes;

    /// <summary>The part of a commit that replays from marks on.</summary>
    public CommittedPart Describe(IReadOnlyList<LogMark> marks) =>
        new() { Name = PartName, File = _file, Marks = marks };

    /// <summary>Closes the file.</summary>
    public void Dispose() => Logs.Dispose();

    private static OperationLogFile With(Device device, Func<OperationLogFile> make)
    {
        try
        {
            return make();
        }
        catch
        {
            device.Dispose();
            throw;
        }
    }
}
