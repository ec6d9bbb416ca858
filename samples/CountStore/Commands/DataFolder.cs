using CountStore.Input;

namespace CountStore.Commands;

/// <summary>
/// The folder of the store and of the note on what it counts: the user's, which stays, or a temporary one, which is
/// removed.
/// </summary>
internal sealed class DataFolder : IDisposable
{
    private readonly bool _isTemporary;

    private DataFolder(string path, CountJob job, bool isTemporary) =>
        (Path, Job, _isTemporary) = (path, job, isTemporary);

    /// <summary>Where it is.</summary>
    public string Path { get; }

    /// <summary>Where the store lies in it: a store wants a folder of its own.</summary>
    public string Store => System.IO.Path.Combine(Path, "store");

    /// <summary>What is counted in it.</summary>
    public CountJob Job { get; }

    /// <summary>Whether it stays, and what it holds can be resumed.</summary>
    public bool IsDurable => !_isTemporary;

    /// <summary>
    /// Takes the user's folder, new or with what an earlier run has left, or makes a temporary one where the user names
    /// none.
    /// </summary>
    /// <exception cref="InputException">
    /// The user's folder holds counts of another input, or the engine needs more memory than it may take.
    /// </exception>
    public static DataFolder Open(CountOptions options, IInput input)
    {
        if (options.DataFolder is not { } named)
        {
            var unkept = CountJob.Of(options, input);
            unkept.CheckMemory(options.Memory);
            string temporary = Directory.CreateTempSubdirectory("countstore-").FullName;
            return new DataFolder(temporary, unkept, isTemporary: true);
        }

        CountJob? begun = CountJob.TryRead(named);
        if (begun is not null && options.Resume)
        {
            begun.Check(named, options, input);
            begun.CheckMemory(options.Memory);
            return new DataFolder(named, begun, isTemporary: false);
        }

        if (CountJob.HoldsAnythingElse(named))
            throw new InputException(begun is not null
                ? $"--data '{named}' is not empty: name a new or empty folder, or go on with its counts by --resume."
                : $"--data '{named}' is not empty, and no counts of this program: name a new or empty folder.");
        var job = CountJob.Of(options, input);
        job.CheckMemory(options.Memory);
        try
        {
            job.Write(named);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"--data '{named}' can't be written: {error.Message}", error);
        }

        return new DataFolder(named, job, isTemporary: false);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_isTemporary) Directory.Delete(Path, recursive: true);
    }
}
