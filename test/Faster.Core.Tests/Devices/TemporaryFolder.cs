namespace Faster.Tests.Devices;

/// <summary>A folder for one test.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    public string Path { get; } =
        System.IO.Path.Combine(AppContext.BaseDirectory, "tmp-" + Guid.NewGuid().ToString("N"));

    public void Dispose()
    {
        if (Directory.Exists(Path)) Directory.Delete(Path, recursive: true);
    }
}
