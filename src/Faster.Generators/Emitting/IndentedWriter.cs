using System.Text;

namespace Faster.Generators.Emitting;

/// <summary>Writes code with four spaces per level and LF line endings.</summary>
internal sealed class IndentedWriter
{
    private readonly StringBuilder _text = new();
    private int _level;
    private bool _needsBlank;

    /// <summary>Writes lines at the current level. An empty line in the text stays empty.</summary>
    public void Lines(string text)
    {
        foreach (string line in text.Replace("\r", "").Split('\n'))
        {
            if (_needsBlank && line.Length > 0 && line != "}") _text.Append('\n');
            _needsBlank = false;
            if (line.Length > 0) _text.Append(' ', _level * 4).Append(line);
            _text.Append('\n');
        }
    }

    /// <summary>Writes a header and opens a block; disposing closes it.</summary>
    public Block Open(string header)
    {
        Lines(header);
        Lines("{");
        _level++;
        return new Block(this);
    }

    /// <summary>Writes an empty line before the next line, unless a block ends there.</summary>
    public void Blank() => _needsBlank = true;

    public override string ToString() => _text.ToString();

    private void Close()
    {
        _needsBlank = false;
        _level--;
        Lines("}");
    }

    /// <summary>An open block.</summary>
    public readonly struct Block(IndentedWriter writer) : IDisposable
    {
        public void Dispose()
        {
            writer.Close();
            writer.Blank();
        }
    }
}
