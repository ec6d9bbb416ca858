using System.Globalization;
using Faster.Checkpoints.Files;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Persistence;

namespace Faster.Crash.Persistence;

/// <summary>Lives of operation logs, each of which begins with what a power cut in the one before has left.</summary>
internal static unsafe class LogCuts
{
    private const int Bytes = LogModel.Logs * 4096, Segment = 4096, Lives = 4, CutsEachStep = 3, MaxSteps = 60;

    /// <summary>Cuts the power of logs over persistent memory, after each step.</summary>
    /// <param name="seed">Chooses the steps and the cuts.</param>
    /// <param name="states">Counts the states that were judged.</param>
    /// <returns>What is wrong, or null.</returns>
    public static string? OnMemory(int seed, ref int states)
    {
        var (random, model, image, judged) = (new Random(seed), new LogModel(), new byte[Bytes], 0);
        string? failure = null;
        for (int life = 0; life < Lives && failure is null; life++)
        {
            using var region = new CrashRegion(image);
            using var workload = new LogWorkload(region, model, random, Cut);
            workload.Run(random.Next(MaxSteps));
            image = region.Cut(random.Next());
            failure ??= model.Judge(image);

            void Cut()
            {
                for (int i = 0; i < CutsEachStep && failure is null; i++, judged++)
                    failure = model.Judge(region.Cut(i < 2 ? i : random.Next()));
            }
        }

        states += judged;
        return failure;
    }

    /// <summary>Cuts the power of logs over a device, after each event of the disk.</summary>
    /// <inheritdoc cref="OnMemory"/>
    public static string? OnDisk(int seed, ref int states)
    {
        var (random, model, disk) = (new Random(seed), new LogModel(), new CrashDisk());
        for (int life = 0; life < Lives; life++)
        {
            List<LogModel> notes = [];
            using (StoreFiles files = disk.Mount())
            using (DeviceRegion region = life == 0
                ? DeviceRegion.Create(OpenLog(files), Bytes, Segment)
                : DeviceRegion.Open(OpenLog(files), Bytes, Segment))
            {
                using var workload = new LogWorkload(region, model, random, Note);
                Note();
                workload.Run(random.Next(MaxSteps / 2));
            }

            int last = random.Next(disk.Events.Count / 2, disk.Events.Count + 1);
            LogModel? atLast = null, now = null;
            CrashDisk? left = null;
            for (int events = 0; events <= disk.Events.Count; events++)
            {
                if (events != 0 && disk.Events[events - 1] is { Kind: DiskEventKind.Mark } mark)
                    now = notes[int.Parse(mark.Note, CultureInfo.InvariantCulture)];
                for (int i = 0; i < CutsEachStep && now is not null; i++, states++)
                {
                    CrashDisk cut = disk.CrashState(i < 2 ? i : random.Next(), events);
                    if (now.Judge(Recover(cut)) is { } failure) return failure;
                    if (left is null && events >= last) (left, atLast) = (disk.CrashState(random.Next(), events), now);
                }
            }

            if (left is null) return null; // the power was cut before the logs were made
            if (atLast!.Judge(Recover(left.CrashState(1, left.Events.Count))) is { } wrong) return wrong;
            (disk, model) = (left, atLast.Copy());

            void Note()
            {
                disk.Mark(notes.Count.ToString(CultureInfo.InvariantCulture));
                notes.Add(model.Copy());
            }
        }

        return null;
    }

    private static Device OpenLog(StoreFiles files) => files.OpenLog(StoreFileNames.MainLog, Segment, unbuffered: true);

    private static byte[] Recover(CrashDisk left)
    {
        using StoreFiles files = left.Mount();
        using var region = DeviceRegion.Open(OpenLog(files), Bytes, Segment);
        return new ReadOnlySpan<byte>(region.Pointer, Bytes).ToArray();
    }
}
