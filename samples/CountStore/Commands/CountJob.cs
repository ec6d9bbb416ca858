using System.Text.Json;
using System.Text.Json.Serialization;
using CountStore.Counting;
using CountStore.Input;
using Faster;

namespace CountStore.Commands;

/// <summary>
/// What is counted in a data folder: all that decides which key is where in which share of the input, and the engine
/// whose files the store has. It is written before the store is made, and a run that resumes must agree with it.
/// </summary>
/// <param name="Division">How inputs are divided; see <see cref="CurrentDivision"/>.</param>
/// <param name="Input">What tells the input from others.</param>
/// <param name="Format">How it is cut into keys.</param>
/// <param name="Threads">How many shares it is divided into.</param>
/// <param name="Engine">The store's engine; older folders, which do not name one, are of the engine FASTER.</param>
internal sealed record CountJob(
    int Division, string Input, string Format, int Threads, string Engine = "faster")
{
    /// <summary>Grows when a version of this program cuts or divides inputs in another way.</summary>
    public const int CurrentDivision = 1;

    private const string FileName = "countstore.json";
    private const string NewFileName = FileName + ".new";
    private const string ShortFileName = "countstore.short.json"; // its name instead, where counts are missing

    private static readonly JsonSerializerOptions Json = new() { WriteIndented = true };

    /// <summary>The store's engine.</summary>
    /// <exception cref="InputException">This version of the program does not have it.</exception>
    [JsonIgnore]
    public CountEngine StoreEngine => CountEngine.TryParse(Engine, out CountEngine? engine)
        ? engine
        : throw new InputException($"The counts were begun with --engine {Engine}, which this version of the program "
            + $"does not have: it has {CountEngine.Choices}. Go on with the version that began them.");

    /// <summary>Whether a commit covers an update that failed: the counts are short.</summary>
    [JsonIgnore]
    public bool IsShort { get; private init; }

    /// <summary>What a run should count.</summary>
    public static CountJob Of(CountOptions options, IInput input) => new(
        CurrentDivision, input.Fingerprint, input.Format.Name, options.Threads ?? CountOptions.DefaultThreads,
        Engine: (options.Engine ?? CountEngine.Faster).Name);

    /// <summary>What a folder's counts are of; null where none were begun.</summary>
    /// <exception cref="InputException">The folder's note of it is damaged.</exception>
    public static CountJob? TryRead(string folder)
    {
        string path = Path.Combine(folder, ShortFileName);
        bool isShort = File.Exists(path);
        if (!isShort) path = Path.Combine(folder, FileName);
        if (!File.Exists(path)) return null;
        try
        {
            CountJob? job = JsonSerializer.Deserialize<CountJob>(File.ReadAllBytes(path));
            if (job is { Division: > 0, Input: not null, Format: not null, Threads: > 0, Engine: not null })
                return job with { IsShort = isShort };
            throw new InputException(Damaged(path, "it does not say what is counted"));
        }
        catch (JsonException error)
        {
            throw new InputException(Damaged(path, error.Message), error);
        }
    }

    /// <summary>Whether a folder holds anything but an unfinished note.</summary>
    public static bool HoldsAnythingElse(string folder) => Directory.Exists(folder)
        && Directory.EnumerateFileSystemEntries(folder).Any(entry => Path.GetFileName(entry) != NewFileName);

    /// <summary>Refuses to go on with other counts than were begun.</summary>
    /// <param name="folder">The folder, for messages.</param>
    /// <param name="options">What the run is asked for.</param>
    /// <param name="input">What it should count.</param>
    /// <exception cref="InputException">They differ.</exception>
    public void Check(string folder, CountOptions options, IInput input)
    {
        CountJob asked = Of(
            options with { Threads = options.Threads ?? Threads, Engine = options.Engine ?? StoreEngine }, input);
        string? difference = this switch
        {
            { IsShort: true } => "an update failed after it was given its place, and was committed, so that they are "
                + "short",
            _ when Division != asked.Division => "they were begun by another version of this program, which divides "
                + "inputs in another way",
            _ when Engine != asked.Engine => $"they were begun with --engine {Engine}, whose files --engine "
                + $"{asked.Engine} can't read",
            _ when Format != asked.Format => $"they were begun with --format {Format}, not {asked.Format}",
            _ when Input != asked.Input => $"they are of another input ({Input}), not of this one ({asked.Input})",
            _ when Threads != asked.Threads => $"the input was divided among --threads {Threads}, not {asked.Threads}",
            _ => null,
        };
        if (difference is null) return;
        throw new InputException($"--resume can't go on with the counts in '{folder}': {difference}. Give the same "
            + "--input, --format, --engine and --threads as before, or count from the start in a new folder.");
    }

    /// <summary>Refuses a memory budget with which the engine can't work.</summary>
    /// <exception cref="InputException">It is too small.</exception>
    public void CheckMemory(ByteSize memory)
    {
        if (memory >= StoreEngine.MinMemory) return;
        throw new InputException(
            $"--memory {memory} is too little: --engine {Engine} needs {StoreEngine.MinMemory} or more.");
    }

    /// <summary>Writes it durably, in one step.</summary>
    /// <exception cref="IOException">The folder can't be written.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be.</exception>
    public void Write(string folder)
    {
        Directory.CreateDirectory(folder);
        string path = Path.Combine(folder, FileName), unfinished = Path.Combine(folder, NewFileName);
        using (FileStream file = new(unfinished, FileMode.Create, FileAccess.Write, FileShare.None))
        {
            file.Write(JsonSerializer.SerializeToUtf8Bytes(this, Json));
            file.Flush(flushToDisk: true);
        }

        // The store syncs the folders above its own, and so this name, before it publishes its first commit.
        File.Move(unfinished, path, overwrite: true);
    }

    /// <summary>
    /// Notes in a folder that its counts are short, so that no run goes on with them. Takes no space: the disk may be
    /// full.
    /// </summary>
    /// <exception cref="IOException">The folder can't be changed.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be.</exception>
    public static void MarkShort(string folder) =>
        File.Move(Path.Combine(folder, FileName), Path.Combine(folder, ShortFileName));

    private static string Damaged(string path, string why) =>
        $"'{path}' is damaged: {why}. Remove its folder and count from the start.";
}
