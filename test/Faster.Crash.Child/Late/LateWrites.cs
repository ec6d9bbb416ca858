using System.Runtime.InteropServices;
using Faster.Devices;

namespace Faster.Crash.Late;

/// <summary>Many large writes at once, of which a process that is killed leaves some under way.</summary>
public static unsafe class LateWrites
{
    /// <summary>What the child is told to do this.</summary>
    public const string Feature = "late";

    /// <summary>The size of the log's files: all writes are in one.</summary>
    public const long Segment = 1 << 30;

    /// <summary>How many writes.</summary>
    public const int Count = 64;

    private const int Size = 256 << 10, Sector = 4096;

    /// <summary>Submits them all, of one byte, and waits for none.</summary>
    /// <returns>What is to be kept meanwhile.</returns>
    public static object Submit(string folder, byte content)
    {
        FolderFiles files = FolderFiles.OpenFolder(folder);
        Device log = files.OpenLog(Segment, unbuffered: true);
        var buffer = (byte*)NativeMemory.AlignedAlloc(Size, Sector);
        NativeMemory.Fill(buffer, Size, content);
        log.Submit([.. Enumerable.Range(0, Count).Select(i => new IoRequest
        {
            Kind = IoKind.Write, Buffer = buffer, Length = Size, Offset = (long)i * Size,
        })]);
        return (files, log);
    }

    /// <summary>How many of them are there: the last is looked at first.</summary>
    public static int Arrived(Device log, byte content)
    {
        var buffer = (byte*)NativeMemory.AlignedAlloc(Sector, Sector);
        int arrived = 0;
        for (int i = Count; i > 0; i--)
        {
            var read = new IoRequest { Kind = IoKind.Read, Buffer = buffer, Length = Sector };
            read.Offset = ((long)i * Size) - Sector;
            log.Submit([read]);
            while (log.Poll(new IoRequest[1]) == 0) log.Wait(TimeSpan.FromSeconds(1));
            if (read.Error is null && *buffer == content) arrived++; // else the file ends before it
        }

        NativeMemory.AlignedFree(buffer);
        return arrived;
    }
}
