using System.Runtime.InteropServices;
using Faster.Checkpoints.Files;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Devices.Segments;

namespace Faster.Crash.Late;

/// <summary>Many large writes at once; a killed process leaves some of them under way.</summary>
public static unsafe class LateWrites
{
    /// <summary>The argument that makes the child do this.</summary>
    public const string Feature = "late";

    /// <summary>The size of the log's files: all writes are in one.</summary>
    public const long Segment = 1 << 30;

    /// <summary>How many writes.</summary>
    public const int Count = 64;

    private const int Size = 256 << 10, Sector = 4096;

    /// <summary>Submits them all, filled with one byte, and waits for none.</summary>
    /// <returns>The folder and its log, which must stay alive meanwhile.</returns>
    public static object Submit(string folder, byte content)
    {
        FolderFiles files = FolderFiles.OpenFolder(folder);
        Device log = files.OpenLog(StoreFileNames.MainLog, Segment, unbuffered: true);
        var buffer = (byte*)NativeMemory.AlignedAlloc(Size, Sector);
        NativeMemory.Fill(buffer, Size, content);
        log.Submit([.. Enumerable.Range(0, Count).Select(i => new IORequest
        {
            Kind = IOKind.Write, Buffer = buffer, Length = Size, Offset = (long)i * Size,
        })]);
        return (files, log);
    }

    /// <summary>How many of them have arrived: checks the last one first.</summary>
    public static int Arrived(Device log, byte content)
    {
        var buffer = (byte*)NativeMemory.AlignedAlloc(Sector, Sector);
        int arrived = 0;
        for (int i = Count; i > 0; i--)
        {
            var read = new IORequest { Kind = IOKind.Read, Buffer = buffer, Length = Sector };
            read.Offset = ((long)i * Size) - Sector;
            log.Submit([read]);
            while (log.Poll(new IORequest[1]) == 0) log.Wait(TimeSpan.FromSeconds(1));
            if (read.Error is null && *buffer == content) arrived++; // else the file ends before it
        }

        NativeMemory.AlignedFree(buffer);
        return arrived;
    }
}
